/** Throws with this sentence unless it is so. */
export function proven(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Error(otherwise);
}

/** For a batch whose every item must succeed. */
export async function allDone(
  batch: Promise<{ readonly failedCount: number; readonly data: object }>,
): Promise<void> {
  const { failedCount, data } = await batch;
  proven(failedCount === 0, `Some items failed: ${JSON.stringify(data)}`);
}
