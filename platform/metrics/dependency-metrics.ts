import type { Registry } from 'prom-client';
import { boundedCheck } from '../health/bounded-check.ts';
import type { ReadinessSources } from '../health/readiness.ts';
import { repeat } from '../process/repeat.ts';
import { addGauge } from './scraped-metrics.ts';

/** Milliseconds between two checks. */
const checkDelayMs = 10_000;

/** Checks dependencies every 10 s until `signal` aborts, and exports whether each responded to its last check. */
export async function exportDependencies(
  registry: Registry,
  { pendingMigrations, temporalAvailable }: ReadinessSources,
  signal: AbortSignal,
): Promise<void> {
  const up = new Map<string, boolean>();
  addGauge(
    registry,
    {
      name: 'steward_dependency_up',
      help: '1 when the dependency responded to the last check; checks run every 10 s.',
      labelNames: ['kind'],
    },
    () => [...up].map(([kind, responds]) => ({ labels: { kind }, value: responds ? 1 : 0 })),
  );
  const checks = [
    ['postgresql', boundedCheck(async () => pendingMigrations().then(() => true), false)],
    ['temporal', boundedCheck(temporalAvailable, false)],
  ] as const;
  await repeat(signal, async () => {
    await Promise.all(checks.map(async ([kind, check]) => up.set(kind, await check())));
    return checkDelayMs;
  });
}
