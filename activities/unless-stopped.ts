/** Milliseconds within which a turn must end once the process has begun to stop. */
const yieldsWithinMs = 1_000;

/** Returns the result of a turn, or undefined when the process stops and the turn has not ended 1 s later. */
export async function unlessStopped<Result>(
  stopping: AbortSignal,
  turn: Promise<Result>,
): Promise<Result | undefined> {
  const { promise: stopped, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => void setTimeout(() => resolve(undefined), yieldsWithinMs);
  if (stopping.aborted) stop();
  stopping.addEventListener('abort', stop);
  try {
    return await Promise.race([turn, stopped]);
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}
