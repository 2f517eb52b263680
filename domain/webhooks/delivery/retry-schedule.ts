/** Retries are moved by up to this part of their wait, so that those of an outage do not come all at once. */
const jitter = 0.1;

const longestRetryAfter = 24 * 60 * 60 * 1_000;

export interface FailedAttempt {
  /** Attempts of the schedule so far, this one included. */
  readonly step: number;
  /** The last wait is repeated for as long as the message is kept. */
  readonly endless: boolean;
}

/**
 * Milliseconds until the next attempt, undefined when the schedule is over. `schedule` holds the wait before each attempt,
 * the first included.
 */
export function retryWait(schedule: readonly number[], { step, endless }: FailedAttempt): number | undefined {
  const wait = schedule[step] ?? (endless ? schedule.at(-1) : undefined);
  return wait === undefined ? undefined : wait * (1 + jitter * (2 * Math.random() - 1));
}

/** The milliseconds of a `Retry-After`, whole seconds or a date; a day at most. */
export function retryAfterOf(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  const wait = /^\d{1,10}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return wait > 0 ? Math.min(wait, longestRetryAfter) : undefined;
}
