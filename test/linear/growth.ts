import { expect } from '@jest/globals';
import { inFull } from '../support/tier.ts';

const kibibyte = 1_024;

/** Characters of the longest input: those of the largest bodies, or a sixteenth of them in the short form. */
export const longest = (inFull ? 1_024 : 64) * kibibyte;

/** Durations below these numbers of milliseconds are noise: the system counts CPU time in steps of up to 4 ms. */
const floor = { ofHalf: 10, ofEighth: 5 } as const;

/** Max repetitions of a measurement that other work on the machine disturbs. */
const attempts = 12;

/** Returns the CPU milliseconds of `act`, which a busy machine affects less than elapsed time. */
export function timeOf(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}

/** Max growth of the time when the input doubles: linear work has 2, quadratic work 4. */
const perDoubling = 3;

/**
 * Expects that work on an input takes at most 3 times as long as on half of it. When other work on the machine disturbs
 * every measurement, expects at most 27 times as long as on an eighth of it: linear work then has 8, quadratic work 64.
 * `make` creates an input of `length` characters and returns the work to measure.
 */
export function expectLinear(make: (length: number) => () => void): void {
  // Quadratic work takes seconds with 32 KiB, and would take hours with 1 MiB.
  if (inFull) expect(timeOf(make(32 * kibibyte))).toBeLessThan(2_000);
  const whole = make(longest);
  // Its half counts as the floor at least.
  if (timeOf(whole) <= perDoubling * floor.ofHalf) return;
  if (growth(whole, make(longest / 2), { floor: floor.ofHalf, max: perDoubling }) <= perDoubling) return;
  const max = perDoubling ** 3;
  expect(growth(whole, make(longest / 8), { floor: floor.ofEighth, max })).toBeLessThanOrEqual(max);
}

/** How many times as long `whole` takes as `part`, measured until it is at most `max`. `floor` is in milliseconds. */
function growth(
  whole: () => void,
  part: () => void,
  { floor, max }: { readonly floor: number; readonly max: number },
): number {
  // The shortest times, because disturbances only lengthen a measurement.
  const shortest = { part: Infinity, whole: Infinity };
  const ratio = (): number => shortest.whole / Math.max(floor, shortest.part);
  for (let attempt = 0; attempt < attempts && !(ratio() <= max); attempt += 1) {
    shortest.part = Math.min(shortest.part, timeOf(part));
    shortest.whole = Math.min(shortest.whole, timeOf(whole));
  }
  return ratio();
}
