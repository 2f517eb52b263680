import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
  readonly name: string;
}

/** Members that never appear in a log line, wherever they stand. */
const secrets = ['authToken', 'apiKey', 'token', 'authorization', 'secret', 'password'];

/** Logs to standard output: one JSON object a line, or, for a terminal, one readable line. */
export function createLogger({ level, format, name }: LogOptions): Logger {
  const options = {
    name,
    level,
    base: { process: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((member) => [member, `*.${member}`]), censor: '[secret]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return format === 'json' ? pino(options) : pino(options, { write: (line) => writeReadable(line) });
}

function writeReadable(line: string): void {
  const {
    level,
    time,
    msg,
    process: source,
    name: _name,
    ...rest
  } = JSON.parse(line) as Record<string, unknown>;
  const members = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = String(time).slice(11, 19);
  process.stdout.write(
    `${clock} ${String(level).padEnd(5)} ${String(source)}: ${[msg, ...members].filter((part) => part !== undefined && part !== '').join(' ')}\n`,
  );
}
