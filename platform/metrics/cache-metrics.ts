import type { Registry } from 'prom-client';
import { addCounter } from './scraped-metrics.ts';

/** Lookups in one cache since the process started. */
export interface CacheCounts {
  hits: number;
  misses: number;
}

/** Adds the hits and misses of caches, by their kind. */
export function addCacheMetrics(registry: Registry, caches: Readonly<Record<string, CacheCounts>>): void {
  addCounter(
    registry,
    {
      name: 'steward_cache_requests_total',
      help: 'Lookups in caches.',
      labelNames: ['kind', 'outcome'],
    },
    () =>
      Object.entries(caches).flatMap(([kind, { hits, misses }]) => [
        { labels: { kind, outcome: 'hit' }, value: hits },
        { labels: { kind, outcome: 'miss' }, value: misses },
      ]),
  );
}
