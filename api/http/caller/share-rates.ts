import type { Registry } from 'prom-client';
import { repeat } from '../../../platform/process/repeat.ts';
import { exchangeRequests } from '../../../domain/limits/exchange-requests.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import { addCounter, addGauge } from '../../../platform/metrics/scraped-metrics.ts';
import type { RateLimiter } from './rate-limiter.ts';
import { exchangeEveryMs, exchangeStaleMs } from './token-bucket.ts';

export interface SharingOptions {
  readonly orm: Orm;
  readonly rateLimiter: RateLimiter;
  readonly registry: Registry;
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/**
 * Shares the rate limits of busy keys with the other processes, with at most one statement per second, until `signal`
 * aborts. While PostgreSQL is unavailable, the limiter keeps its shares, and requests admitted meanwhile are never
 * reported.
 */
export async function shareRates(options: SharingOptions): Promise<void> {
  const { orm, rateLimiter, registry, onFailure, signal } = options;
  const exchanges = { succeeded: 0, failed: 0 };
  addCounter(
    registry,
    {
      name: 'steward_limit_exchanges_total',
      help: 'Exchanges of the use of rate limits with other processes.',
      labelNames: ['outcome'],
    },
    () => Object.entries(exchanges).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  let shared = 0;
  addGauge(
    registry,
    {
      name: 'steward_limit_shared_keys',
      help: 'Keys used in the last second for which this process had only a share of the rate limit.',
    },
    () => [{ value: shared }],
  );
  await repeat(signal, async () => {
    shared = rateLimiter.sharedKeys;
    const reports = rateLimiter.report();
    if (reports.length === 0) return exchangeEveryMs;
    const startedAt = performance.now();
    try {
      rateLimiter.settle(reports, await exchangeRequests(orm.em.fork(), reports));
      exchanges.succeeded += 1;
    } catch (error) {
      exchanges.failed += 1;
      onFailure(error);
    }
    if (performance.now() - startedAt > exchangeStaleMs) rateLimiter.report();
    return exchangeEveryMs;
  });
}
