import type { WorkflowBundleOption } from '@temporalio/worker';
import { EffectMetrics } from '../activities/effect-metrics.ts';
import { createActivities, type Activities } from '../activities/index.ts';
import { makeOpenJobsDue } from '../domain/job-handlers/due-jobs.ts';
import { exportGauges } from '../domain/maintenance/export-gauges.ts';
import { checkMisconfiguration } from '../domain/maintenance/misconfiguration.ts';
import { openJournal } from '../domain/deletion/journal/open-journal.ts';
import { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { watchJournal } from '../domain/deletion-replay/watch-journal.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { logOutage } from '../platform/logging/log-outage.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { openMetrics, type AppendedText } from '../platform/metrics/open-metrics.ts';
import { ClosingStack } from '../platform/process/closing-stack.ts';
import type { Running } from '../platform/process/run-program.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { registerProcess } from '../server/register-process.ts';
import { openConnections } from './open-connections.ts';
import { announceChanges } from './announce-changes.ts';
import { awaitDatabase } from './await-database.ts';
import { livenessPage, readinessPage } from './health.ts';
import { keepCurrent } from './keep-current.ts';
import { keepTemporalPrepared } from './keep-temporal-prepared.ts';
import { pollAfterRestore } from './poll-after-restore.ts';
import { watchDeadlines } from './watch-deadlines.ts';
import { workflowBundle } from './workflow-bundle.ts';

/** Timeouts in milliseconds. */
const limitsMs = { start: 5_000, wake: 5_000, temporalProbe: 800 } as const;

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
 * Starts a worker. Needs neither database nor Temporal to start: it works as soon as the database fits and Temporal
 * responds, and reconnects after every outage. Activities that fail without the database are retried.
 */
export async function startWorker(
  configuration: ServerConfiguration,
  logger: Logger,
  replacements: WorkerReplacements = {},
): Promise<Running> {
  const { tracing } = replacements;
  const { paused } = configuration;
  const repeating = limitRepeats(logger);
  const opened = new ClosingStack();
  await opened.add(async () => tracing?.close());
  const metrics = await openMetrics(configuration, 'worker', replacements.appendedMetrics);
  await opened.add(async () => metrics.close());
  metrics.addPage('/healthz', livenessPage);
  const bundle = replacements.bundle ?? (await workflowBundle(configuration.dataDirectory));
  const connections = await openConnections({
    configuration,
    logger,
    repeating,
    metrics,
    tracing,
    closing: opened,
  });
  const { keyRing, orm, temporal, database, wakes } = connections;
  const stopping = new AbortController();
  let round: AbortSignal = stopping.signal;
  const left: Promise<unknown>[] = [];
  const { publicUrl } = configuration;
  const journal = openJournal(configuration.deletionJournal.folder, keyRing);
  const gate = new RestoreGate(journal !== undefined);
  const steward = createActivities({
    orm,
    keyRing,
    publicUrl,
    journal,
    gate,
    logger,
    metrics: new EffectMetrics(metrics.registry),
    tracing,
    permissionProvider: connections.permissionProvider,
    webhooks: connections.webhooks,
    outboundAllowedNetworks: configuration.outboundAllowedNetworks,
    outbound: connections.outbound,
    webhookRetryDelaysMs: configuration.webhookRetryDelaysMs,
    webhookRetentionDays: configuration.webhookRetentionDays,
    webhookEndpointConcurrency: configuration.webhookEndpointConcurrency,
    databaseSlots: configuration.databasePoolSize,
    sending: connections.sending,
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
  const required = {
    pendingMigrations: database.pendingMigrations,
    misconfiguration: checkMisconfiguration(database, keyRing),
  };
  metrics.addPage(
    '/readyz',
    readinessPage({
      ...required,
      temporalAvailable: () => temporal.available(limitsMs.temporalProbe),
      polling: () => isPolling(),
      gateClosed: gate.closed,
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
  void database.checkSettings();
  const registration = registerProcess('worker', orm, { configuration, logger, repeating });
  await opened.add(registration.close);
  await opened.add(async () => journal?.close());
  const exporting = exportGauges({
    metrics,
    orm,
    provider: configuration.webhookProvider,
    onFailure: logOutage(repeating, 'sample of shared metrics failed'),
    health: {
      pendingMigrations: database.pendingMigrations,
      temporalAvailable: () => temporal.available(limitsMs.temporalProbe),
    },
    signal: stopping.signal,
  });
  const loop = { orm, logger, signal: stopping.signal };
  const work = async (): Promise<unknown> =>
    Promise.all([
      pollAfterRestore(gate, {
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
      }),
      watchDeadlines(loop),
      announceChanges(loop),
      keepCurrent({ configuration, temporal, logger, signal: stopping.signal }),
      keepTemporalPrepared({
        temporal,
        logger,
        onEmpty: async () => makeOpenJobsDue(orm.em.fork()),
        signal: stopping.signal,
      }),
    ]);
  const working = awaitDatabase(required, logger, stopping.signal).then(work);
  await opened.add(async () => {
    stopping.abort();
    await Promise.all([working, comparing, exporting]);
    await Promise.all(left);
  });
  return { close: async () => opened.close() };
}
