import { setTimeout as pause } from 'node:timers/promises';
import { oneOf, seededRandom } from '../../bench/random.ts';
import type { Disturbance } from './observe.ts';
import type { Outage } from './outage.ts';
import { victims, type SoakedSteward } from './steward.ts';

/** Bounds of the random milliseconds between two kills. Short runs must include kills, too. */
const pausesMs = { min: 15_000, max: 120_000 } as const;
const shortRunMs = 15 * 60_000;

/** Kills one process after the other until the signal aborts. */
export async function killAtRandom(
  steward: SoakedSteward,
  { ledger, seed, durationMs, stop }: Disturbance,
): Promise<readonly Outage[]> {
  const random = seededRandom(seed);
  const maxMs = durationMs < shortRunMs ? pausesMs.max / 4 : pausesMs.max;
  const kills: Outage[] = [];
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
    kills.push({ what: victim, at, downMs: Date.now() - at });
  }
}
