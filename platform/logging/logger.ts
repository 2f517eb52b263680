import { pino, type DestinationStream, type Logger } from 'pino';

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
    level,
    base: { process: name },
    serializers: { err: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((member) => [member, `*.${member}`]), censor: '[secret]' },
    formatters: { level: (label: string) => ({ level: label }) },
  };
  if (format === 'json') return pino(options, write === undefined ? standardOutput() : { write });
  const out = write ?? ((line: string) => void process.stdout.write(line));
  return pino(options, { write: (line) => out(readable(line)) });
}

/** Milliseconds that a line may wait for others to be written with it, and bytes that are not waited beyond. */
const gathering = { longest: 100, bytes: 4_096 } as const;

/** Lines are written together: a write for each would cost a busy process more than the lines. An orderly end writes the last ones. */
function standardOutput(): DestinationStream {
  const destination = pino.destination({ sync: true, minLength: gathering.bytes });
  setInterval(() => destination.flush(), gathering.longest).unref();
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // Nothing has been written yet, or nobody reads any more.
    }
  });
  return destination;
}

/** What PostgreSQL adds to an error (`detail`, `where`, parameters) holds values of rows: it stays out. */
function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { name, message, stack, code, constraint, table } = error as Partial<Error> & Record<string, unknown>;
  return { type: name, message, stack, code, constraint, table };
}

function readable(line: string): string {
  const { level, time, msg, process: source, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const members = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = String(time).slice(11, 19);
  return `${clock} ${String(level).padEnd(5)} ${String(source)}: ${[msg, ...members].filter((part) => part !== undefined && part !== '').join(' ')}\n`;
}
