import { StewardError, type ErrorStatus } from './steward-error.ts';

const transient = new Set<ErrorStatus>(['UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED']);

/** A longer Retry-After is left to the caller. */
const maxDelayMs = 60_000;

/** The delay before the next attempt, with jitter, or undefined when the error must not be retried. */
function delayAfter(error: unknown, failures: number): number | undefined {
  if (!(error instanceof StewardError) || !transient.has(error.status)) return undefined;
  const delayMs =
    error.retryAfter === undefined
      ? Math.min(100 * 2 ** failures, 5_000) * (0.5 + Math.random() / 2)
      : error.retryAfter * 1_000;
  return delayMs <= maxDelayMs ? delayMs : undefined;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    const cancel = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', cancel, { once: true });
    if (signal?.aborted === true) cancel();
  });
}

/** Runs `act`, and retries transient failures max `retries` times. */
export async function withRetries<Result>(
  act: () => Promise<Result>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await act();
    } catch (error) {
      const delayMs = failures < retries ? delayAfter(error, failures) : undefined;
      if (delayMs === undefined) throw error;
      await pause(delayMs, signal);
    }
  }
}
