import type { WorkflowBundleOption } from '@temporalio/worker';
import { EffectMetrics } from '../activities/effect-metrics.ts';
import { createActivities, type Activities } from '../activities/index.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import { whenPlanned } from '../domain/notices/notices-planned.ts';
import { whenUndrained } from '../domain/events/events-recorded.ts';
import { makeOpenJobsDue } from '../domain/job-handlers/due-jobs.ts';
import { exportGauges } from '../domain/maintenance/export-gauges.ts';
import { entities } from '../domain/entities.ts';
import { openJournal } from '../domain/deletion/journal/open-journal.ts';
import { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { watchJournal } from '../domain/deletion-replay/watch-journal.ts';
import { openPermissionProvider } from '../domain/permissions/provider/open-provider.ts';
import { keepRegistered } from '../domain/processes/keep-registered.ts';
import { openUsageMeter } from '../domain/usage/open-usage-meter.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { openProcessDatabase } from '../platform/database/open-process-database.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { changeLevel, type Logger } from '../platform/logging/logger.ts';
import { addDatabaseMetrics } from '../platform/metrics/database-metrics.ts';
import { openMetrics, type AppendedText } from '../platform/metrics/open-metrics.ts';
import type { Running } from '../platform/process/run-program.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import { noWakes, wakesOf } from '../platform/temporal/wakes.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { dispatchStartOf, originHeaders, sendStartOf } from '../workflows/starts.ts';
import { openSending } from './open-sending.ts';
import { keepAnnouncing } from './announce-changes.ts';
import { livenessPage, readinessPage } from './health.ts';
import { keepCurrent } from './keep-current.ts';
import { keepTemporalPrepared } from './prepare-temporal.ts';
import { pollAfterRestore } from './poll-after-restore.ts';
import { watchDeadlines } from './watch-deadlines.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** Milliseconds. A statement may wait for locks of API transactions, whose own limit is 10 s. */
const limitsMs = { statement: 60_000, start: 5_000, wake: 5_000, temporalProbe: 800 } as const;

/** An activity that a test provides: any argument, any result. */
export type AnyActivity = (input: never) => Promise<unknown>;

/** Replacements for tests of workflows, and additions of the program. */
export interface WorkerReplacements {
  /** Metrics outside the process's registry. */
  readonly appendedMetrics?: AppendedText;
  /** Undefined while tracing is off. */
  readonly tracing?: Tracing | undefined;
  /**
   * Returns replacements of activities by name, given Steward's. Activities of other names run on the task queue
   * `databaseQueue`.
   */
  readonly activities?: ((steward: Activities) => Readonly<Record<string, AnyActivity>>) | undefined;
  readonly bundle?: WorkflowBundleOption | undefined;
  /** Called once the worker polls every task queue; again after a lost connection. */
  readonly onPolling?: () => void;
}

/**
 * Starts a worker. Needs neither database nor Temporal to start: it polls as soon as Temporal responds and reconnects after
 * every outage. Activities that fail without the database are retried.
 */
export async function startWorker(
  configuration: ServerConfiguration,
  logger: Logger,
  replacements: WorkerReplacements = {},
): Promise<Running> {
  const { tracing } = replacements;
  const { paused } = configuration;
  const repeating = limitRepeats(logger);
  const metrics = await openMetrics(configuration, 'worker', replacements.appendedMetrics);
  metrics.addPage('/healthz', livenessPage);
  const bundle = replacements.bundle ?? (await workflowBundle(configuration.dataDirectory));
  const temporal = openTemporal({
    ...configuration.temporal,
    headers: originHeaders(tracing),
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  const stopping = new AbortController();
  let round: AbortSignal = stopping.signal;
  const left: Promise<unknown>[] = [];
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
    paused: paused.has('deliveries'),
  });
  const wakes = paused.has('deliveries') ? noWakes : wakesOf(temporal, limitsMs.wake, repeating);
  const onUndrained = whenUndrained((keyId) => wakes.wake(dispatchStartOf({ keyId })));
  const onPlanned = whenPlanned((sender) => wakes.wake(sendStartOf(sender)));
  const usage = openUsageMeter(() => database.orm, logger);
  const database = openProcessDatabase(configuration, logger, {
    statementTimeoutMs: limitsMs.statement,
    plansOnce: false,
    entities,
    onAnnounced: (announcement) => {
      onUndrained(announcement);
      onPlanned(announcement);
      usage.onAnnounced(announcement);
    },
  });
  const { orm } = database;
  addDatabaseMetrics(metrics.registry, database);
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const { publicUrl } = configuration;
  const journal = openJournal(configuration.deletionJournal.folder, keyRing);
  const gate = new RestoreGate(journal !== undefined);
  const sending = openSending(configuration, logger);
  const steward = createActivities({
    orm,
    keyRing,
    publicUrl,
    journal,
    gate,
    logger,
    metrics: new EffectMetrics(metrics.registry),
    tracing,
    permissionProvider: openPermissionProvider(configuration, { orm, keyRing, logger }),
    webhooks: await openWebhookProvider(configuration),
    outboundAllowedNetworks: configuration.outboundAllowedNetworks,
    outbound,
    webhookRetryDelaysMs: configuration.webhookRetryDelaysMs,
    webhookRetentionDays: configuration.webhookRetentionDays,
    webhookEndpointConcurrency: configuration.webhookEndpointConcurrency,
    databaseSlots: configuration.databasePoolSize,
    sending,
    wakes,
    paused,
    stopping: () => round,
    providerBaseUrls: configuration.providerBaseUrls,
    leave: (work) => void left.push(work.catch(() => undefined)),
    startWorkflow: (workflow) => temporal.start(workflow, limitsMs.start),
    wakeWorkflow: (workflow) => temporal.wake(workflow, limitsMs.wake),
  });
  const activities: Activities = { ...steward, ...replacements.activities?.(steward) };
  if (paused.size > 0) logger.warn({ work: [...paused] }, 'work paused');
  let isPolling = (): boolean => false;
  metrics.addPage(
    '/readyz',
    readinessPage({
      pendingMigrations: database.pendingMigrations,
      temporalAvailable: () => temporal.available(limitsMs.temporalProbe),
      polling: () => isPolling(),
      restored: gate.closed,
      sendsEmail: configuration.messaging.mailServer !== undefined,
      paused,
    }),
  );
  const comparing = watchJournal({
    gate,
    journal,
    orm,
    retentionMs: configuration.deletionJournal.retentionMs,
    completion: { keyRing, issuer: publicUrl, journal },
    logger,
    registry: metrics.registry,
    signal: stopping.signal,
  });
  const polling = pollAfterRestore(gate, {
    configuration,
    logger,
    tracing,
    activities,
    bundle,
    onRound: (ended) => {
      round = ended;
    },
    onPolling: (active) => {
      isPolling = active;
      replacements.onPolling?.();
    },
    signal: stopping.signal,
  });
  void database.checkSettings();
  const registration = keepRegistered({
    orm,
    kind: 'worker',
    paused,
    onFailure: (error) => repeating.debug({ err: error }, 'process heartbeat failed'),
    onLogLevel: (level = configuration.logLevel) => changeLevel(logger, level),
  });
  const watching = watchDeadlines({ orm, logger, signal: stopping.signal });
  const announcing = keepAnnouncing({ orm, logger, signal: stopping.signal });
  const exporting = exportGauges({
    metrics,
    orm,
    onFailure: (error) => repeating.debug({ err: error }, 'sample of shared metrics failed'),
    health: {
      pendingMigrations: database.pendingMigrations,
      temporalAvailable: () => temporal.available(limitsMs.temporalProbe),
    },
    signal: stopping.signal,
  });
  const routing = keepCurrent({ configuration, temporal, logger, signal: stopping.signal });
  const preparing = keepTemporalPrepared({
    temporal,
    logger,
    onEmpty: async () => makeOpenJobsDue(orm.em.fork()),
    signal: stopping.signal,
  });
  return {
    close: async () => {
      stopping.abort();
      await Promise.all([polling, comparing, preparing, routing, watching, announcing, exporting]);
      await Promise.all(left);
      await wakes.flush();
      await journal?.close();
      await registration.close();
      await outbound.close();
      await sending.senders.close();
      await temporal.close();
      await usage.write();
      await database.close();
      await metrics.close();
      await tracing?.close();
    },
  };
}
