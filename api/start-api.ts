import { setTimeout as pause } from 'node:timers/promises';
import { exportGauges } from '../domain/maintenance/export-gauges.ts';
import { checkMisconfiguration } from '../domain/maintenance/misconfiguration.ts';
import { openJournal } from '../domain/deletion/journal/open-journal.ts';
import { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { watchJournal } from '../domain/deletion-replay/watch-journal.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { openMetrics } from '../platform/metrics/open-metrics.ts';
import { ClosingStack } from '../platform/process/closing-stack.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import type { Running } from '../platform/process/run-program.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { registerProcess } from '../server/register-process.ts';
import { endpoints } from './endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { defaultRequestLimits, type RequestLimits } from './http/request-limits.ts';
import { shareRates } from './http/caller/share-rates.ts';
import { listen } from './http/connection/server.ts';
import { openApplication } from './open-application.ts';
import { openConnections } from './open-connections.ts';
import { portFailure } from './port-failure.ts';

/** Timeouts in milliseconds. */
const limitsMs = { temporalProbe: 800, journalComparison: 1_000 } as const;

/** A running API and the port it listens on. */
export interface RunningApi extends Running {
  readonly port: number;
  drain(): Promise<void>;
}

/** Replacements for tests, and additions of the program. */
interface ApiReplacements {
  /** Operations that replace the registry. */
  readonly operations?: readonly Endpoint[] | undefined;
  readonly limits?: Partial<RequestLimits>;
  /** Undefined while tracing is off. */
  readonly tracing?: Tracing | undefined;
}

/** Starts an API process. Requires neither the database nor Temporal to be available. */
export async function startApi(
  configuration: ServerConfiguration,
  logger: Logger,
  { operations = endpoints, limits, tracing }: ApiReplacements = {},
): Promise<RunningApi> {
  const requestLimits = { ...defaultRequestLimits, ...limits };
  const { paused } = configuration;
  const opened = new ClosingStack();
  await opened.add(async () => tracing?.close());
  const metrics = await openMetrics(configuration, 'api');
  await opened.add(async () => metrics.close());
  const repeating = limitRepeats(logger);
  const connections = await openConnections({
    configuration,
    logger,
    repeating,
    metrics,
    tracing,
    closing: opened,
  });
  const { keyRing, orm, temporal, database } = connections;
  const registration = registerProcess('api', orm, { configuration, logger, repeating });
  const journal = openJournal(configuration.deletionJournal.folder, keyRing);
  const gate = new RestoreGate(journal !== undefined);
  const closing = new AbortController();
  let draining = false;
  const health = {
    pendingMigrations: database.pendingMigrations,
    misconfiguration: checkMisconfiguration(database, keyRing),
    temporalAvailable: () => temporal.available(limitsMs.temporalProbe),
    draining: () => draining,
    gateClosed: gate.closed,
    sendsEmail: configuration.messaging.mailServer !== undefined,
    paused,
  };
  const { application, connectionLimit, rateLimiter, readBudget, requestMetrics } = openApplication({
    configuration,
    logger,
    repeating,
    metrics,
    tracing,
    connections,
    registration,
    gate,
    health,
    operations,
    requestLimits,
    closing: closing.signal,
  });
  const watching = watchJournal({
    gate,
    journal,
    orm,
    retentionMs: configuration.deletionJournal.retentionMs,
    logger,
    registry: metrics.registry,
    signal: closing.signal,
  });
  await gate.settled(limitsMs.journalComparison);
  const exporting = exportGauges({
    metrics,
    orm,
    provider: configuration.webhookProvider,
    onFailure: logOutage(repeating, 'sample of shared metrics failed'),
    health,
    signal: closing.signal,
  });
  const sharing = shareRates({
    orm,
    rateLimiter,
    registry: metrics.registry,
    onFailure: (error) => repeating.warn({ reason: errorMessage(error) }, 'rate limits not shared'),
    signal: closing.signal,
  });
  await opened.add(async () => {
    closing.abort();
    await Promise.all([exporting, watching, sharing]);
  });
  await opened.add(registration.close);
  // The first request already needs the number of processes.
  await registration.begun;
  const server = await listen(application, {
    port: configuration.port,
    host: configuration.host,
    connections: connectionLimit,
    linger: requestLimits.linger,
    headWithinMs: requestLimits.headWithinMs,
    idleWithinMs: requestLimits.idleWithinMs,
    isShort: readBudget.isShort,
    logger,
    metrics: requestMetrics,
  }).catch(async (error: unknown) => {
    await opened.close();
    throw portFailure(error, configuration);
  });
  await opened.add(async () => server.close());
  logger.info({ port: server.port, host: configuration.host }, 'listening');
  if (paused.size > 0) logger.warn({ work: [...paused] }, 'work paused');
  void database.checkSettings();
  return {
    port: server.port,
    drain: async () => {
      draining = true;
      server.closeAfterResponses();
      logger.info({ delayMs: configuration.drainDelayMs }, 'draining');
      await pause(configuration.drainDelayMs);
    },
    close: async () => opened.close(),
  };
}
