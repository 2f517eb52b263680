import { expect } from '@jest/globals';
import { inFull } from '../support/tier.ts';

const kibibyte = 1_024;

/** Characters of the longest input: those of the largest bodies, or a sixteenth of them in the short form. */
export const longest = (inFull ? 1_024 : 64) * kibibyte;

/** Durations below this number of milliseconds are noise. */
const floor = 10;

/** Max repetitions of a measurement that other work on the machine disturbs. */
const attempts = 12;

/** Returns the CPU milliseconds of `act`, which a busy machine affects less than elapsed time. */
function timeOf(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Expects that work on an input takes at most 3 times as long as on half of it; quadratic work takes 4 times as long.
 * `make` creates an input of `length` characters and returns the work to measure.
 */
export function expectLinear(make: (length: number) => () => void): void {
  // Quadratic work takes seconds with this length, and would take hours with 1 MiB.
  expect(timeOf(make(32 * kibibyte))).toBeLessThan(2_000);
  const [half, whole] = [make(longest / 2), make(longest)];
  // The shortest times, because disturbances only lengthen a measurement.
  const shortest = { half: Infinity, whole: Infinity };
  const ratio = (): number => shortest.whole / Math.max(floor, shortest.half);
  for (let attempt = 0; attempt < attempts && !(ratio() <= 3); attempt += 1) {
    shortest.half = Math.min(shortest.half, timeOf(half));
    shortest.whole = Math.min(shortest.whole, timeOf(whole));
  }
  expect(ratio()).toBeLessThanOrEqual(3);
}
