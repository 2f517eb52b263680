/**
 * Runs `act` with a signal that aborts after `timeoutMs`, or when `signal` does. `AbortSignal.any` is missing in Safari
 * 17.3.
 */
export async function within<Result>(
  timeoutMs: number,
  signal: AbortSignal | undefined,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal?.reason);
  const timer = setTimeout(abort, timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted === true) abort();
  try {
    return await act(controller.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
