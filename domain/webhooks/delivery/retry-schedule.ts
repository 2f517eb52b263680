import { retryAfterMsOf } from '../../../platform/network/retry-after.ts';
import { dayMs } from '../../../platform/units.ts';

/** Fraction by which each wait varies, so that retries after an outage spread out. */
const jitter = 0.1;

export interface FailedAttempt {
  /** Scheduled attempts so far, including this one. */
  readonly step: number;
  /** Repeats the last wait until the message expires. */
  readonly endless: boolean;
}

/**
 * Returns the milliseconds until the next attempt; undefined when the schedule is over. `retryDelaysMs` contains the
 * delay before each attempt, including the first.
 */
export function retryWait(
  retryDelaysMs: readonly number[],
  { step, endless }: FailedAttempt,
): number | undefined {
  const wait = retryDelaysMs[step] ?? (endless ? retryDelaysMs.at(-1) : undefined);
  return wait === undefined ? undefined : wait * (1 + jitter * (2 * Math.random() - 1));
}

const maxRetryAfterMs = dayMs;

/** Returns the milliseconds of a `Retry-After` header, at most one day. */
export function receiverDelayMs(header: string | undefined, now: number): number | undefined {
  const waitMs = retryAfterMsOf(header, now);
  return waitMs === undefined ? undefined : Math.min(waitMs, maxRetryAfterMs);
}
