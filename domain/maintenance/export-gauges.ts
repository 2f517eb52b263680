import type { ReadinessSources } from '../../platform/health/readiness.ts';
import type { Metrics } from '../../platform/metrics/open-metrics.ts';
import { exportDependencies } from '../../platform/metrics/dependency-metrics.ts';
import { exportSharedMetrics, type SharedMetricsOptions } from './shared-metrics.ts';

export interface GaugesOptions extends Omit<SharedMetricsOptions, 'registry'> {
  readonly metrics: Metrics;
  readonly health: ReadinessSources;
}

/**
 * Exports the gauges that a process samples between scrapes, until `signal` aborts. Samples nothing when no metrics are
 * served.
 */
export async function exportGauges({ metrics, health, ...options }: GaugesOptions): Promise<void> {
  if (!metrics.served) return;
  const { registry } = metrics;
  await Promise.all([
    exportDependencies(registry, health, options.signal),
    exportSharedMetrics({ ...options, registry }),
  ]);
}
