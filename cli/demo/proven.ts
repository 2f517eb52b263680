/** Milliseconds after which a step that hangs fails. A slow machine takes minutes for some. */
export const maxWaitMs = 600_000;

/** Throws an error with `message` unless `condition` is true. */
export function proven(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Throws unless every item of the batch succeeded. */
export async function allDone(
  batch: Promise<{ readonly failedCount: number; readonly data: object }>,
): Promise<void> {
  const { failedCount, data } = await batch;
  proven(failedCount === 0, `Some items failed: ${JSON.stringify(data)}`);
}
