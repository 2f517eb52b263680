import type { Pausable } from './in-turns.ts';

/** Names that are sorted or merged between two pauses. */
const runLength = 1_000;

/** Sorts names by UTF-16 code units, like `Array.prototype.sort`, with pauses: 100,000 at once would take too long. */
export function* sortedInTurns(names: readonly string[]): Pausable<readonly string[]> {
  let runs: (readonly string[])[] = [];
  for (let start = 0; start < names.length; start += runLength) {
    runs.push(names.slice(start, start + runLength).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly string[])[] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergedRuns(runs[index] ?? [], runs[index + 1] ?? []));
    runs = merged;
  }
  return runs[0] ?? [];
}

function* mergedRuns(left: readonly string[], right: readonly string[]): Pausable<readonly string[]> {
  const merged: string[] = [];
  let [first, second] = [0, 0];
  for (let a = left[0], b = right[0]; a !== undefined || b !== undefined;) {
    if (b === undefined || (a !== undefined && a <= b)) {
      if (a !== undefined) merged.push(a);
      a = left[(first += 1)];
    } else {
      merged.push(b);
      b = right[(second += 1)];
    }
    if (merged.length % runLength === 0) yield;
  }
  return merged;
}
