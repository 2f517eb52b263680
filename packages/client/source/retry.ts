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

/** Whether the service may still run an attempt that failed so. */
const mayStillRun = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof StewardError && error.httpStatus === 502);

const isAborted = (error: unknown): boolean => error instanceof StewardError && error.status === 'ABORTED';

/**
 * Runs `attempt`, and repeats it after transient failures. Throws the last failure. While an attempt whose response was
 * lost may still run, further ones are ABORTED. These do not count, so that its response is returned once it has ended.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  { maxAttempts, endAt, signal }: Attempts,
): Promise<Result> {
  let isResponseLost = false;
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      isResponseLost ||= mayStillRun(error);
      if (isResponseLost && isAborted(error)) attempts = Math.min(attempts, maxAttempts - 1);
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
