import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './process-metrics.ts';

const everyMs = 1_000;
/** A delay counts from the time at which the monitor's timer was due. */
const resolutionMs = 20;

/**
 * Records the longest delay of the event loop in each second. A blocked loop is recorded once, with its whole duration,
 * after it runs again. Returns a function that stops the recording.
 */
export function recordEventLoopDelay(registry: Registry): () => void {
  const delays = new Histogram({
    name: 'steward_event_loop_delay_seconds',
    help: 'Longest delay of the event loop in each second; a block is one observation.',
    buckets: [...durationBuckets],
    registers: [registry],
  });
  const monitor = monitorEventLoopDelay({ resolution: resolutionMs });
  monitor.enable();
  const timer = setInterval(() => {
    delays.observe(Math.max(0, monitor.max / 1e9 - resolutionMs / 1_000));
    monitor.reset();
  }, everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    monitor.disable();
  };
}
