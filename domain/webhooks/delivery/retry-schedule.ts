/** Fraction by which each wait varies, so that retries after an outage spread out. */
const jitter = 0.1;

const maxRetryAfterMs = 24 * 60 * 60 * 1_000;

export interface FailedAttempt {
  /** Scheduled attempts so far, including this one. */
  readonly step: number;
  /** Repeats the last wait until the message expires. */
  readonly endless: boolean;
}

/**
 * Returns the milliseconds until the next attempt; undefined when the schedule is over. `schedule` contains the delay
 * before each attempt, including the first.
 */
export function retryWait(schedule: readonly number[], { step, endless }: FailedAttempt): number | undefined {
  const wait = schedule[step] ?? (endless ? schedule.at(-1) : undefined);
  return wait === undefined ? undefined : wait * (1 + jitter * (2 * Math.random() - 1));
}

/** Returns the milliseconds of a `Retry-After` header, in seconds or as a date; at most one day. */
export function retryAfterMsOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, maxRetryAfterMs) : undefined;
}
