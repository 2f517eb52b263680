import { expect } from '@jest/globals';
import { inFull } from '../support/tier.ts';

const kibibyte = 1_024;

/** Characters of the longest input: the size of the largest bodies' texts, or a sixteenth of it in the short form. */
export const longest = (inFull ? 1_024 : 64) * kibibyte;

/** Milliseconds below which a time is noise. */
const floor = 10;

/** Times that other work on the machine may spoil a measurement. */
const attempts = 12;

/** Time of the processor that `act` takes, in milliseconds: a busy machine lengthens it less than the time of a clock. */
function timeOf(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/**
 * Expects that work on an input takes at most 3 times as long as work on half of it; quadratic work takes 4 times as
 * long. `make` makes an input of so many characters, and returns what is measured of it.
 */
export function expectLinear(make: (length: number) => () => void): void {
  // Quadratic work takes seconds here already, and would take the day with 1 MiB.
  expect(timeOf(make(32 * kibibyte))).toBeLessThan(2_000);
  const [half, whole] = [make(longest / 2), make(longest)];
  // The shortest times: what disturbs a measurement only adds to it.
  const shortest = { half: Infinity, whole: Infinity };
  const ratio = (): number => shortest.whole / Math.max(floor, shortest.half);
  for (let attempt = 0; attempt < attempts && !(ratio() <= 3); attempt += 1) {
    shortest.half = Math.min(shortest.half, timeOf(half));
    shortest.whole = Math.min(shortest.whole, timeOf(whole));
  }
  expect(ratio()).toBeLessThanOrEqual(3);
}
