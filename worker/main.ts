import { readConfiguration } from '../platform/config/read-configuration.ts';
import { unknownVariables } from '../platform/config/unknown-variables.ts';
import { createLogger } from '../platform/logging/logger.ts';
import { runProgram } from '../platform/process/run-program.ts';
import { openTracing } from '../platform/tracing/tracing.ts';
import { installRuntime } from './install-runtime.ts';
import { startWorker } from './start-worker.ts';
import { temporalMetrics } from './temporal-metrics.ts';

/** `npm run worker`: a worker process. Any number may run concurrently. */
await runProgram(async () => {
  const configuration = readConfiguration(process.env, 'worker');
  const logger = createLogger({
    level: configuration.logLevel,
    format: configuration.logFormat,
    name: 'worker',
    context: true,
  });
  for (const { name, nearest } of unknownVariables(process.env)) {
    logger.warn({ name, nearest }, 'unknown environment variable ignored');
  }
  const sdkMetricsPort = await installRuntime(configuration, logger);
  return startWorker(configuration, logger, {
    tracing: await openTracing(configuration.tracing, 'steward-worker', logger),
    ...(sdkMetricsPort !== undefined && { appendedMetrics: temporalMetrics(sdkMetricsPort) }),
  });
});
