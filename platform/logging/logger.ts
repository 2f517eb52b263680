import { pino, type Logger } from 'pino';
import { logContext } from './log-context.ts';
import { openStandardOutput } from './standard-output.ts';

export type { Logger } from 'pino';

/** Levels in order of severity. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  readonly level: string;
  readonly format: 'pretty' | 'json';
  readonly name: string;
  /** Whether lines carry the fields of `logContext`; costs an object per line. */
  readonly context?: boolean;
}

/** Members that are redacted at the top level of a log line and one level below. */
const secrets = ['authToken', 'apiKey', 'token', 'authorization', 'secret', 'password'];

/** Logs to `write`, by default standard output: one JSON object per line, or one readable line for a terminal. */
export function createLogger(
  { level, format, name, context = false }: LogOptions,
  write?: (line: string) => void,
): Logger {
  const options = {
    level,
    base: { process: name },
    serializers: { err: describeError },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secrets.flatMap((member) => [member, `*.${member}`]), censor: '[secret]' },
    // A copy: pino adds the fields of the line to it.
    ...(context && { mixin: () => ({ ...logContext.getStore() }) }),
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const json = format === 'json';
  const out =
    write ??
    openStandardOutput({
      // One write per line would cost a busy process more than the lines.
      minBytes: json ? 4_096 : 1,
      onDropped: (lines) => logger.warn({ lines }, 'log lines dropped'),
    });
  const logger = pino(options, { write: json ? out : (line) => out(readable(line)) });
  return logger;
}

/** Omits PostgreSQL's `detail`, `hint`, `where` and parameters, which contain row values. */
function describeError(error: unknown): object {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { name, message, stack, code, constraint, table } = error as Partial<Error> & Record<string, unknown>;
  const own = withoutDetail(message);
  const frames = message === undefined ? stack : stack?.replace(message, () => own ?? '');
  return { type: name, message: own, stack: frames, code, constraint, table };
}

/** MikroORM appends PostgreSQL's `detail` and `hint` to the message, and nothing after them. */
function withoutDetail(message: string | undefined): string | undefined {
  const ends = ['\n - detail: ', '\n - hint: '].map((mark) => message?.indexOf(mark) ?? -1);
  const end = Math.min(...ends.filter((at) => at >= 0), Infinity);
  return message?.slice(0, end);
}

function readable(line: string): string {
  const { level, time, msg, process: source, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const members = Object.entries(rest).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const clock = String(time).slice(11, 19);
  return `${clock} ${String(level).padEnd(5)} ${String(source)}: ${[msg, ...members].filter((part) => part !== undefined && part !== '').join(' ')}\n`;
}

/** Changes the level of a running process. Children that `logger.child` made earlier keep theirs. */
export function changeLevel(logger: Logger, level: LogLevel): void {
  if (logger.level === level) return;
  // Not `level`: that member is the severity of the line itself.
  logger.warn({ logLevel: level }, 'log level changed');
  logger.level = level;
}
