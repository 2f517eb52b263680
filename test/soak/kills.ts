import { setTimeout as pause } from 'node:timers/promises';
import { oneOf, seededRandom } from '../../bench/random.ts';
import type { Ledger } from './ledger.ts';
import { victims, type SoakedSteward, type Victim } from './steward.ts';

export interface Kill {
  readonly victim: Victim;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds until its successor ran. */
  readonly downMs: number;
}

/** Bounds of the random milliseconds between two kills. Short runs must include kills, too. */
const pausesMs = { min: 15_000, max: 120_000 } as const;
const shortRunMs = 15 * 60_000;

/** Kills one process after the other until the signal aborts. */
export async function killAtRandom(
  steward: SoakedSteward,
  { ledger, seed, durationMs, stop }: KillOptions,
): Promise<readonly Kill[]> {
  const random = seededRandom(seed);
  const maxMs = durationMs < shortRunMs ? pausesMs.max / 4 : pausesMs.max;
  const kills: Kill[] = [];
  for (;;) {
    await pause(pausesMs.min + random() * (maxMs - pausesMs.min), undefined, { signal: stop }).catch(
      () => undefined,
    );
    if (stop.aborted) return kills;
    const victim = oneOf(victims, random);
    const at = Date.now();
    try {
      await steward.kill(victim);
    } catch (error) {
      ledger.violated(`${victim} did not come back after a kill: ${String(error)}`);
      return kills;
    }
    kills.push({ victim, at, downMs: Date.now() - at });
  }
}

export interface KillOptions {
  readonly ledger: Ledger;
  readonly seed: number;
  /** Duration of the whole run. */
  readonly durationMs: number;
  readonly stop: AbortSignal;
}
