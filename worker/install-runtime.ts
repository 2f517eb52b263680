import { Runtime, type LogLevel, type LogMetadata } from '@temporalio/worker';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import type { Logger } from '../platform/logging/logger.ts';

/** Call once per process, before any connection. Forwards the SDK's log to ours, and serves its metrics on `METRICS_PORT`. */
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
    // The program stops its workers on signals.
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

/** The SDK warns so for each queue that runs only activities. */
const expectedWarning = 'No workflows registered, not polling for workflow tasks';

/** The SDK's info lines (worker states, one line per workflow) are logged at level debug. */
function forwarding(logger: Logger) {
  const log = (level: LogLevel, message: string, meta?: LogMetadata): void =>
    logger[message === expectedWarning ? 'debug' : levels[level]]({ sdk: plain(meta) }, message);
  return {
    log,
    trace: (message: string, meta?: LogMetadata) => log('TRACE', message, meta),
    debug: (message: string, meta?: LogMetadata) => log('DEBUG', message, meta),
    info: (message: string, meta?: LogMetadata) => log('INFO', message, meta),
    warn: (message: string, meta?: LogMetadata) => log('WARN', message, meta),
    error: (message: string, meta?: LogMetadata) => log('ERROR', message, meta),
  };
}

/** Metadata may hold bigints, symbols and errors, which JSON cannot represent. */
function plain(meta: LogMetadata | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(meta ?? {}).map(([key, value]) => [
      key,
      value instanceof Error ? value.message : String(value),
    ]),
  );
}
