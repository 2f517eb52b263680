import { ConnectionError, StewardError } from './errors.ts';

/** A gateway returns 502 when it loses the connection to the service. */
const retriedHttpStatuses: ReadonlySet<number> = new Set([429, 502, 503]);

const baseDelayMs = 200;
const maxDelayMs = 5_000;

/** An attempt under the same idempotency key is ABORTED while an earlier one is still running. */
const isTransient = (error: StewardError): boolean =>
  error instanceof ConnectionError || retriedHttpStatuses.has(error.httpStatus) || error.status === 'ABORTED';

/** Returns the delay before the next attempt, or undefined when the error is final. Jitter is added to Retry-After. */
function retryDelayMs(error: unknown, failures: number): number | undefined {
  if (!(error instanceof StewardError) || !isTransient(error)) return undefined;
  const backoffMs = Math.min(baseDelayMs * 2 ** (failures - 1), maxDelayMs) * (0.5 + Math.random() / 2);
  return error.retryAfter === undefined ? backoffMs : error.retryAfter * 1_000 + Math.random() * baseDelayMs;
}

export interface Attempts {
  readonly maxAttempts: number;
  /** On the clock of `performance.now`. No attempt begins later. */
  readonly endAt: number;
  /** Ends the wait between two attempts. */
  readonly signal: AbortSignal;
}

/** Runs `attempt`, and repeats it after transient failures. Throws the last failure. */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { maxAttempts, endAt, signal }: Attempts,
): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const delayMs = attempts < maxAttempts ? retryDelayMs(error, attempts) : undefined;
      if (delayMs === undefined || performance.now() + delayMs >= endAt) throw error;
      await pause(delayMs, signal);
    }
  }
}

/** Waits. Throws the signal's reason when it aborts. */
export function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    }, delayMs);
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
  });
}
