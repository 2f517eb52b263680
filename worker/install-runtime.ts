import { Runtime, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** Once a process, before any connection: the SDK's own log goes into ours, its metrics to Prometheus when asked for. */
export function installRuntime(configuration: ServerConfiguration, logger: Logger): void {
  try {
    install(configuration, logger);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (configuration.metricsPort === 0 || !/prometheus/i.test(reason)) throw error;
    throw new Error(
      `Metrics cannot be served on port ${String(configuration.metricsPort)} (${reason}). ` +
        'Choose another port with METRICS_PORT.',
      { cause: error },
    );
  }
}

function install({ metricsPort, host }: ServerConfiguration, logger: Logger): void {
  Runtime.install({
    logger: forwarding(logger),
    // The program stops its workers itself.
    shutdownSignals: [],
    telemetryOptions: {
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort > 0 && {
        metrics: { prometheus: { bindAddress: `${bracketed(host)}:${String(metricsPort)}` } },
      }),
    },
  });
}

const bracketed = (host: string): string => {
  if (host === 'localhost') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
};

const levels = { TRACE: 'trace', DEBUG: 'debug', INFO: 'debug', WARN: 'warn', ERROR: 'error' } as const;

/** A queue of activities alone has no workflows, and is meant to. */
const intended = 'No workflows registered, not polling for workflow tasks';

/** What the SDK tells at level info (a worker's states, one line a workflow) is of interest to its own authors. */
function forwarding(logger: Logger) {
  const log = (level: LogLevel, message: string, meta?: LogMetadata): void =>
    logger[message === intended ? 'debug' : levels[level]]({ sdk: plain(meta) }, message);
  return {
    log,
    trace: (message: string, meta?: LogMetadata) => log('TRACE', message, meta),
    debug: (message: string, meta?: LogMetadata) => log('DEBUG', message, meta),
    info: (message: string, meta?: LogMetadata) => log('INFO', message, meta),
    warn: (message: string, meta?: LogMetadata) => log('WARN', message, meta),
    error: (message: string, meta?: LogMetadata) => log('ERROR', message, meta),
  };
}

/** Metadata hold bigints, symbols and errors, which JSON does not. */
function plain(meta: LogMetadata | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta ?? {}).map(([key, value]) => [
      key,
      value instanceof Error ? value.message : String(value),
    ]),
  );
}
