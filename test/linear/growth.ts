import { expect } from '@jest/globals';

const kibibyte = 1_024;

/** Milliseconds below which a time is noise. */
const floor = 5;

/** Times a machine under load may spoil a measurement. */
const attempts = 6;

/** The shortest of several times that `act` takes, in milliseconds: what others do meanwhile only adds to it. */
function shortest(act: () => void): number {
  const times = Array.from({ length: 3 }, () => {
    const started = performance.now();
    act();
    return performance.now() - started;
  });
  return Math.min(...times);
}

/**
 * Expects that work on 1 MiB takes at most 3 times as long as work on 512 KiB; quadratic work takes 4 times as long. `make`
 * makes an input of so many characters, and what is measured of it.
 */
export function expectLinear(make: (length: number) => () => void): void {
  // Quadratic work takes seconds here already, and would take the day with 1 MiB.
  expect(shortest(make(32 * kibibyte))).toBeLessThan(1_000);
  const [half, whole] = [make(512 * kibibyte), make(1_024 * kibibyte)];
  let ratio = Infinity;
  for (let attempt = 0; attempt < attempts && ratio > 3; attempt += 1) {
    ratio = Math.min(ratio, shortest(whole) / Math.max(floor, shortest(half)));
  }
  expect(ratio).toBeLessThanOrEqual(3);
}
