import { StewardError, type ErrorStatus } from './steward-error.ts';

const passing = new Set<ErrorStatus>(['UNAVAILABLE', 'ABORTED', 'RESOURCE_EXHAUSTED']);

/** A service that asks for more than this is not waited for: the caller knows better what to do meanwhile. */
const longestWait = 60_000;

/** Milliseconds before the next try; undefined when trying again is no use. Half of each own wait is left to chance. */
function waitAfter(error: unknown, failures: number): number | undefined {
  if (!(error instanceof StewardError) || !passing.has(error.status)) return undefined;
  const wait =
    error.retryAfter === undefined
      ? Math.min(100 * 2 ** failures, 5_000) * (0.5 + Math.random() / 2)
      : error.retryAfter * 1_000;
  return wait <= longestWait ? wait : undefined;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      signal?.removeEventListener('abort', calledOff);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    const calledOff = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', calledOff, { once: true });
    if (signal?.aborted === true) calledOff();
  });
}

/** Does it once, and at most `retries` times more while it fails in passing. */
export async function tryAgain<Result>(
  act: () => Promise<Result>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await act();
    } catch (error) {
      const wait = failures < retries ? waitAfter(error, failures) : undefined;
      if (wait === undefined) throw error;
      await pause(wait, signal);
    }
  }
}
