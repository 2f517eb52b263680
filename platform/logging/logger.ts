import { pino, type Logger } from 'pino';

export type { Logger } from 'pino';

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
  readonly name: string;
}

/** Members that never appear in a log line, wherever they stand. */
const secrets = ['authToken', 'apiKey', 'token', 'authorization', 'secret', 'password'];

/** Logs to `write`, standard output unless given: one JSON object a line, or, for a terminal, one readable line. */
export function createLogger({ level, format, name }: LogOptions, write?: (line: string) => void): Logger {
  const options = {
    name,
    level,
    base: { process: name },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((member) => [member, `*.${member}`]), censor: '[secret]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (format === 'json') return write === undefined ? pino(options) : pino(options, { write });
  const out = write ?? ((line: string) => void process.stdout.write(line));
  return pino(options, { write: (line) => out(readable(line)) });
}

function readable(line: string): string {
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
  return `${clock} ${String(level).padEnd(5)} ${String(source)}: ${[msg, ...members].filter((part) => part !== undefined && part !== '').join(' ')}\n`;
}
