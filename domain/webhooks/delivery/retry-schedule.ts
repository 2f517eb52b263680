/** Retries are moved by up to this part of their wait, so that those of an outage do not come all at once. */
const jitter = 0.1;

const longestRetryAfter = 24 * 60 * 60 * 1_000;

export interface FailedAttempt {
  /** Attempts of the schedule so far, this one included. */
  readonly step: number;
  /** What the receiver asked for, in milliseconds. */
  readonly retryAfter: number | undefined;
  /** The last wait is repeated for as long as the message is kept. */
  readonly endless: boolean;
}

/**
 * Milliseconds until the next attempt, undefined when the schedule is over. `schedule` holds the wait before each attempt,
 * the first included. What the receiver asked for, up to a day, makes the wait longer and never shorter.
 */
export function retryWait(
  schedule: readonly number[],
  { step, retryAfter, endless }: FailedAttempt,
): number | undefined {
  const wait = schedule[step] ?? (endless ? schedule.at(-1) : undefined);
  if (wait === undefined) return undefined;
  const moved = wait * (1 + jitter * (2 * Math.random() - 1));
  return Math.max(moved, Math.min(retryAfter ?? 0, longestRetryAfter));
}

/** The milliseconds of a `Retry-After`: whole seconds or a date. */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  const at = Date.parse(text);
  return Number.isNaN(at) || at <= now ? undefined : at - now;
}
