import { captureContext } from './log-context.ts';
import type { Logger } from './logger.ts';

const levels = ['trace', 'debug', 'info', 'warn', 'error'] as const;

type Level = (typeof levels)[number];

/** Logs a line. Lines with the same `cause`, by default the event, count as repetitions. */
type LogLimited = (fields: object, event: string, cause?: string) => void;

/** Logs lines that repeat during an outage. */
export type LimitedLogger = Readonly<Record<Level, LogLimited>>;

/** Time between two lines of one cause. */
const defaultWindowMs = 60_000;

/** Max causes with their own count; further ones share one count. */
const maxCauses = 100;
const furtherEvents = 'further repeated events';

/**
 * Logs the first line of a cause immediately. While the cause repeats, logs its latest line once per `windowMs`, with
 * the number of lines that it stands for as `repeated`.
 */
export function limitRepeats(logger: Logger, windowMs: number = defaultWindowMs): LimitedLogger {
  const repeats = new Map<string, Repeats>();
  const limited =
    (level: Level): LogLimited =>
    (fields, event, ofCause = event) => {
      if (!logger.isLevelEnabled(level)) return;
      const cause = `${level} ${ofCause}`;
      // The fields of the call that logs the line, not of the one that began the window.
      const within = captureContext();
      const line = (more: object): void => within(() => logger[level]({ ...fields, ...more }, event));
      const known = repeats.get(cause);
      if (known !== undefined) {
        known.line = line;
        known.count += 1;
      } else if (repeats.size >= maxCauses && ofCause !== furtherEvents) {
        limited(level)(fields, furtherEvents);
      } else {
        line({});
        repeats.set(cause, { line, count: 0 });
        const timer = setInterval(() => summarize(cause, timer), windowMs).unref();
      }
    };
  const summarize = (cause: string, timer: NodeJS.Timeout): void => {
    const { line, count = 0 } = repeats.get(cause) ?? {};
    if (count > 0) {
      repeats.set(cause, { line, count: 0 });
      line?.({ repeated: count });
    } else {
      clearInterval(timer);
      repeats.delete(cause);
    }
  };
  return Object.fromEntries(levels.map((level) => [level, limited(level)])) as LimitedLogger;
}

interface Repeats {
  /** Logs the latest line. */
  line: ((more: object) => void) | undefined;
  count: number;
}
