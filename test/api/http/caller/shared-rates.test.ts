import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { casesOf } from '../../../support/tier.ts';
import { run, slidingWindows, type Demand } from './virtual-processes.ts';

/** Returns a generator of numbers from 0 to 1 that a seed determines. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
const between = (admitted: readonly number[], from: number, to: number): number =>
  admitted.filter((at) => at >= from && at < to).length;

describe('processes that share a rate limit', () => {
  it('admit within 10 % of it in any 10 s, however demand is spread and shifts', () => {
    fc.assert(
      fc.property(
        fc.record({
          perSecond: fc.integer({ min: 50, max: 200 }),
          burstSeconds: fc.double({ min: 0.1, max: 2, noNaN: true }),
          over: fc.double({ min: 1.5, max: 5, noNaN: true }),
          // Demand of each process before and after 20 s. Most of it is small.
          parts: fc.array(fc.tuple(fc.nat(100), fc.nat(100)), { minLength: 1, maxLength: 8 }),
          seed: fc.nat(),
        }),
        ({ perSecond, burstSeconds, over, parts, seed }) => {
          const weights = [0, 1].map((phase) => parts.map((part) => ((part[phase] ?? 0) / 100) ** 3 + 0.02));
          const demand: Demand = (process, now) => {
            const phase = weights[now < 20_000 ? 0 : 1] ?? [];
            return (perSecond * over * (phase[process] ?? 0)) / sum(phase);
          };
          const burst = Math.ceil(perSecond * burstSeconds);
          const scene = { processes: parts.length, perSecond, burst, demand, random: numbersFrom(seed) };
          const admitted = run(scene, 45_000);
          const steady = [
            ...slidingWindows(admitted, 8_000, 20_000),
            ...slidingWindows(admitted, 27_000, 45_000),
          ];
          const part = steady.map((count) => count / (10 * perSecond));
          expect(Math.min(...part)).toBeGreaterThanOrEqual(0.9);
          expect(Math.max(...part)).toBeLessThanOrEqual(1.1);
          // A cold start has one burst, not one per process.
          const first = slidingWindows(admitted, 0, 10_000)[0] ?? 0;
          expect(first).toBeLessThanOrEqual(1.1 * (10 * perSecond + burst));
        },
      ),
      { numRuns: casesOf(60) },
    );
  });

  it('admit within 10 % of it where one of many processes receives most requests', () => {
    const demand: Demand = (process) => (process === 0 ? 2_000 : 7);
    const scene = { processes: 20, perSecond: 1_000, burst: 1_000, demand, random: numbersFrom(4) };
    const part = slidingWindows(run(scene, 30_000), 10_000, 30_000).map((count) => count / 10_000);
    expect(Math.min(...part)).toBeGreaterThanOrEqual(0.9);
    expect(Math.max(...part)).toBeLessThanOrEqual(1.1);
  });

  it('share it by demand', () => {
    const demand: Demand = (process) => [300, 100][process] ?? 0;
    const scene = { processes: 2, perSecond: 100, burst: 100, demand, random: numbersFrom(1) };
    const [largest = [], smallest = []] = run(scene, 20_000);
    const ratio = between(largest, 10_000, 20_000) / between(smallest, 10_000, 20_000);
    expect(ratio).toBeGreaterThan(2.5);
    expect(ratio).toBeLessThan(3.5);
  });

  it('leave all of it, including the burst, to the one that receives all requests', () => {
    const demand: Demand = (process) => (process === 2 ? 500 : 0);
    const scene = { processes: 8, perSecond: 100, burst: 200, demand, random: numbersFrom(2) };
    const admitted = run(scene, 20_000).flat();
    expect(between(admitted, 0, 10_000)).toBeGreaterThan(0.9 * 1_200);
    expect(between(admitted, 0, 10_000)).toBeLessThanOrEqual(1_200);
    expect(between(admitted, 10_000, 20_000) / 1_000).toBeCloseTo(1, 1);
  });

  it('take over the share of a killed process within 5 s', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const scene = {
        processes: 2,
        perSecond: 100,
        burst: 100,
        demand: () => 300,
        random: numbersFrom(seed),
      };
      const admitted = run({ ...scene, killed: { process: 1, at: 12_000 } }, 20_000).flat();
      expect(between(admitted, 17_000, 20_000)).toBeGreaterThanOrEqual(0.95 * 300);
      expect(between(admitted, 17_000, 20_000)).toBeLessThanOrEqual(1.1 * 300);
    }
  });

  it('keep their shares while PostgreSQL is unavailable', () => {
    const demand: Demand = (process) => [300, 100, 50][process] ?? 0;
    for (let seed = 0; seed < 10; seed += 1) {
      const scene = { processes: 3, perSecond: 100, burst: 100, demand, random: numbersFrom(seed) };
      const admitted = run({ ...scene, outage: [10_000, 20_000] }, 40_000);
      for (const count of slidingWindows(admitted, 8_000, 40_000)) {
        expect(count / 1_000).toBeGreaterThanOrEqual(0.9);
        expect(count / 1_000).toBeLessThanOrEqual(1.1);
      }
    }
  });
});
