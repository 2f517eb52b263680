import { Registry } from 'prom-client';
import { droppedLogLines } from '../logging/standard-output.ts';
import { ownVersion } from '../process/own-version.ts';
import type { ProcessKind } from '../process/process-kinds.ts';
import { addCounter, addGauge } from './scraped-metrics.ts';

/** Upper bounds in seconds that all histograms share; Prometheus adds `+Inf`. */
export const durationBuckets: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Creates the registry of one process with the metrics that every process exports. */
export function processRegistry(kind: ProcessKind): Registry {
  const registry = new Registry();
  addGauge(
    registry,
    {
      name: 'steward_build_info',
      help: 'Always 1; version and kind of the process.',
      labelNames: ['version', 'kind'],
    },
    () => [{ labels: { version: ownVersion, kind }, value: 1 }],
  );
  addGauge(
    registry,
    { name: 'steward_process_start_time_seconds', help: 'Unix time of the start of the process.' },
    () => [{ value: Math.round(performance.timeOrigin / 1_000) }],
  );
  addCounter(
    registry,
    { name: 'steward_process_cpu_seconds_total', help: 'User and system CPU time of the process.' },
    () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / 1e6 }];
    },
  );
  addGauge(
    registry,
    { name: 'steward_process_resident_memory_bytes', help: 'Resident memory of the process.' },
    () => [{ value: process.memoryUsage.rss() }],
  );
  addGauge(
    registry,
    { name: 'steward_process_heap_used_bytes', help: 'Used JavaScript heap of the main thread.' },
    () => [{ value: process.memoryUsage().heapUsed }],
  );
  addCounter(
    registry,
    { name: 'steward_log_lines_dropped_total', help: 'Log lines dropped because they could not be written.' },
    () => [{ value: droppedLogLines() }],
  );
  return registry;
}
