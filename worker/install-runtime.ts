import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, Runtime, type LogMetadata } from '@temporalio/worker';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { activityFieldNames } from './activity-context.ts';
import { freeLoopbackPort } from './temporal-metrics.ts';

/** Max attempts, because another program may take a free port before the SDK does. */
const maxAttempts = 3;

/**
 * Call once per process, before any connection. Forwards the SDK's log to ours. Returns the loopback port on which the SDK
 * serves its metrics, or undefined when `METRICS_PORT` is 0.
 */
export async function installRuntime(
  { metricsPort }: Pick<ServerConfiguration, 'metricsPort'>,
  logger: Logger,
): Promise<number | undefined> {
  if (metricsPort === 0) {
    install(logger);
    return undefined;
  }
  for (let attempt = 1; ; attempt += 1) {
    const port = await freeLoopbackPort();
    try {
      install(logger, port);
      return port;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
    }
  }
}

function install(logger: Logger, sdkMetricsPort?: number): void {
  Runtime.install({
    logger: forwarding(logger),
    // The program stops its workers on signals.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(sdkMetricsPort !== undefined && {
        metrics: { prometheus: { bindAddress: `127.0.0.1:${String(sdkMetricsPort)}` } },
      }),
    },
  });
}

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** The SDK logs this warning for each queue that runs only activities. */
const expectedWarning = 'No workflows registered, not polling for workflow tasks';

/** The SDK's info lines (worker states, one line per workflow) are logged at level debug. */
function forwarding(logger: Logger): DefaultLogger {
  const repeating = limitRepeats(logger);
  return new DefaultLogger('TRACE', ({ level: sdkLevel, message, meta }) => {
    const level = message === expectedWarning ? 'debug' : levels[sdkLevel];
    const fields = { ...activityFieldsOf(meta), sdk: plain(meta) };
    if (level !== 'warn' && level !== 'error') logger[level](fields, message);
    else repeating[level](fields, message, causeOf(message, meta));
  });
}

/**
 * Returns the key by which repeated lines are counted. Messages of the Rust core contain counts, so its target is the
 * key. The type of a failure is part of the key, so that activities that fail in an outage do not hide other failures.
 */
function causeOf(message: string, { target, error }: LogMetadata = {}): string {
  if (typeof target === 'string') return target;
  return error instanceof ApplicationFailure ? `${message} ${error.type ?? ''}` : message;
}

/** The fields that `activityContext` gave a line of the SDK about an activity. */
const activityFieldsOf = (meta: LogMetadata = {}): LogMetadata =>
  'activity' in meta ? Object.fromEntries(activityFieldNames.map((name) => [name, meta[name]])) : {};

/** Metadata may hold bigints, symbols and errors, which JSON cannot represent. */
function plain(meta: LogMetadata | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(meta ?? {}).map(([key, value]) => [key, errorMessage(value)]));
}
