import { setTimeout as pause } from 'node:timers/promises';
import { exportGauges } from '../domain/maintenance/export-gauges.ts';
import { openSenders } from '../domain/deliveries/senders.ts';
import { openCrdtReads } from '../domain/crdt/crdt-reads.ts';
import { whenPlanned } from '../domain/notices/notices-planned.ts';
import { whenUndrained } from '../domain/events/events-recorded.ts';
import { entities } from '../domain/entities.ts';
import { openJournal } from '../domain/deletion/journal/open-journal.ts';
import { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import { watchJournal } from '../domain/deletion-replay/watch-journal.ts';
import { keepRegistered } from '../domain/processes/keep-registered.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { PermissionProvider } from '../domain/permissions/provider/permission-provider.ts';
import { countFailures } from '../domain/credentials/count-failures.ts';
import { TokenUses } from '../domain/credentials/token-uses.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import { respondedChannel } from '../domain/rewriter/staged-requests.ts';
import { signingSecret } from '../domain/signing/signing-secret.ts';
import { openUsageMeter } from '../domain/usage/open-usage-meter.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { withoutTrailingSlashes } from '../platform/config/trailing-slashes.ts';
import { Notices } from '../platform/database/notices.ts';
import { openProcessDatabase } from '../platform/database/open-process-database.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { changeLevel, type Logger } from '../platform/logging/logger.ts';
import { addCacheMetrics } from '../platform/metrics/cache-metrics.ts';
import { addDatabaseMetrics } from '../platform/metrics/database-metrics.ts';
import { openMetrics } from '../platform/metrics/open-metrics.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import type { Running } from '../platform/process/run-program.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { noWakes, wakesOf } from '../platform/temporal/wakes.ts';
import type { Tracing } from '../platform/tracing/tracing.ts';
import {
  deliveryStartOf,
  dispatchStartOf,
  originHeaders,
  sendStartOf,
  workflowStartOf,
} from '../workflows/starts.ts';
import { ConcurrentCalls } from './concurrent-calls.ts';
import { openConsole } from './console/open-console.ts';
import { Rewriter } from './rewriter/rewriter.ts';
import { referencePages } from './docs/page.ts';
import { endpoints } from './endpoints.ts';
import { healthPages } from './health.ts';
import { createApplication, type Gateway } from './http/application.ts';
import type { Endpoint } from './http/endpoint.ts';
import { openBudgets } from './http/budgets.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import { defaultRequestLimits, type RequestLimits } from './http/request-limits.ts';
import { Cursors } from './http/response/cursor.ts';
import { DeniedAttempts } from './http/act/denied-attempts.ts';
import { GroupCommit } from './http/act/group-commit.ts';
import { FailureLimiter } from './http/caller/failure-limiter.ts';
import { RateLimiter } from './http/caller/rate-limiter.ts';
import { shareRates } from './http/caller/share-rates.ts';
import { listen } from './http/connection/server.ts';
import { portFailure } from './port-failure.ts';
import { llmsPages } from './llms/pages.ts';
import { openApiPage } from './openapi/page.ts';
import { openApiSource } from './openapi/shared-document.ts';
import { unsubscribePages } from './unsubscribe/pages.ts';
import { jwksPage } from './well-known/jwks.ts';

/** Timeouts in milliseconds. The sweep repeats a workflow start that times out. */
const limits = {
  workflowStart: 500,
  temporalProbe: 800,
  statement: 10_000,
  tokenUses: 5_000,
  journalComparison: 1_000,
} as const;

/** A running API and the port it listens on. */
export interface RunningApi extends Running {
  readonly port: number;
  drain(): Promise<void>;
}

/** Starts an API process. Requires neither the database nor Temporal to be available. */
export async function startApi(
  configuration: ServerConfiguration,
  logger: Logger,
  operations: readonly Endpoint[] = endpoints,
  within: Partial<RequestLimits> = {},
  tracing?: Tracing,
): Promise<RunningApi> {
  const requestLimits = { ...defaultRequestLimits, ...within };
  const { paused } = configuration;
  const metrics = await openMetrics(configuration, 'api');
  const repeating = limitRepeats(logger);
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const temporal = openTemporal({
    ...configuration.temporal,
    headers: originHeaders(tracing),
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  const startJob = (job: StartableJob): void => {
    if (paused.has('jobs')) return;
    temporal.start(workflowStartOf(job), limits.workflowStart).catch((error: Error) => {
      repeating.info({ jobId: job.jobId, reason: error.message }, 'workflow start failed');
    });
  };
  const wakes = paused.has('deliveries') ? noWakes : wakesOf(temporal, limits.workflowStart, repeating);
  const onPlanned = whenPlanned((sender) => wakes.wake(sendStartOf(sender)));
  const onUndrained = whenUndrained((keyId) => wakes.wake(dispatchStartOf({ keyId })));
  const usage = openUsageMeter(() => database.orm, logger);
  const database = openProcessDatabase(configuration, logger, {
    statementTimeout: limits.statement,
    plansOnce: true,
    entities,
    onAnnounced: (announcement) => {
      onUndrained(announcement);
      onPlanned(announcement);
      usage.onAnnounced(announcement);
    },
  });
  const { orm } = database;
  const tokenUses = new TokenUses(() => orm.em.fork(), limits.tokenUses);
  addDatabaseMetrics(metrics.registry, database);
  const registration = keepRegistered({
    orm,
    kind: 'api',
    paused,
    onFailure: (error) => repeating.debug({ err: error }, 'process heartbeat failed'),
    onLogLevel: (level = configuration.logLevel) => changeLevel(logger, level),
  });
  const concurrentCalls = new ConcurrentCalls({ orm, process: registration.id });
  const rateLimiter = new RateLimiter({
    perSecond: configuration.rateLimit,
    burst: configuration.rateBurst,
    // No two processes may both begin with the whole limit of a key.
    firstShare: () => 1 / registration.processes(),
  });
  const requestMetrics = new RequestMetrics(metrics.registry);
  const notices = new Notices({ url: configuration.databaseDirectUrl, channel: respondedChannel });
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
    paused: paused.has('deliveries'),
  });
  const senders = openSenders(configuration.messaging, (path) => logger.info({ path }, 'mail written'));
  const crdtReads = openCrdtReads(orm.em);
  const permissionProvider = new PermissionProvider({
    orm,
    keyRing,
    allowedNetworks: configuration.outboundAllowedNetworks,
    paused: paused.has('deliveries'),
    onFailure: ({ keyId, reason }) => logger.warn({ keyId, reason }, 'permission provider failed'),
  });
  addCacheMetrics(metrics.registry, {
    collaborative_data: crdtReads.counts,
    permission_provider: permissionProvider.counts,
  });
  const journal = openJournal(configuration.deletionJournal.folder, keyRing);
  const gate = new RestoreGate(journal !== undefined);
  const { bodyWithinMs } = requestLimits;
  const failureLimiter = new FailureLimiter({
    limit: configuration.failedCredentialsLimit,
    count: async (failures, windowMs) => countFailures(orm.em.fork(), failures, windowMs),
  });
  const budgets = openBudgets(metrics.registry, operations, {
    bodyBytes: configuration.bodyBudget,
    maxWaitMs: requestLimits.roomWithinMs,
  });
  const document = openApiSource(operations, configuration.publicUrl);
  let draining = false;
  const health = {
    pendingMigrations: database.pendingMigrations,
    temporalAvailable: () => temporal.available(limits.temporalProbe),
    draining: () => draining,
    restored: gate.reason,
    sendsEmail: configuration.messaging.mailServer !== undefined,
    paused,
  };
  const gateway: Gateway = {
    orm,
    keyRing,
    crdtReads,
    publicUrl: configuration.publicUrl,
    messaging: configuration.messaging,
    senders,
    permissionProvider,
    webhooks: await openWebhookProvider(configuration),
    outbound,
    rewriter: new Rewriter({
      orm,
      temporal,
      notices,
      concurrentCalls,
      ...configuration.rewriter,
      paused: paused.has('deliveries'),
      onFailure: ({ callerRequestId: requestId, requestId: callId, keyId }, reason) =>
        repeating.warn({ requestId, callId, keyId, reason }, 'AI call not started'),
    }),
    concurrentCalls,
    startJob,
    wakeEndpoint: (endpoint) => wakes.wake(deliveryStartOf(endpoint)),
    workflowUrl: workflowUrls(configuration),
    operatorToken: configuration.operatorToken,
    cursors: lazily(async () => new Cursors(await signingSecret(orm.em.fork(), keyRing, 'cursor'))),
    idempotencySecret: lazily(async () => signingSecret(orm.em.fork(), keyRing, 'idempotency')),
    rateLimiter,
    tokenUses,
    failureLimiter,
    groupCommit: new GroupCommit(),
    restored: gate,
    deniedAttempts: new DeniedAttempts({
      orm,
      keyRing,
      onFailure: (reason) => logger.warn({ reason }, 'audit entry not written'),
    }),
    ...budgets,
    bodyWithinMs,
  };
  const application = createApplication({
    endpoints: operations,
    pages: [
      ...healthPages(health),
      openApiPage(document),
      jwksPage(orm),
      ...llmsPages(operations, document),
      ...referencePages(operations, document),
      ...unsubscribePages({ orm, keyRing, failureLimiter, ...budgets, bodyWithinMs }),
    ],
    logger,
    metrics: metrics.served ? requestMetrics : undefined,
    usage,
    tracing,
    linger: requestLimits.linger,
    trustedProxies: configuration.trustedProxies,
    accessLogSampling: configuration.accessLogSampling,
    gateway,
    console: configuration.console.enabled ? openConsole(configuration, gateway, operations) : undefined,
  });
  const closing = new AbortController();
  const watching = watchJournal({
    gate,
    journal,
    orm,
    retentionMs: configuration.deletionJournal.retentionMs,
    logger,
    registry: metrics.registry,
    signal: closing.signal,
  });
  await gate.settled(limits.journalComparison);
  const exporting = exportGauges({
    metrics,
    orm,
    onFailure: (error) => logger.debug({ err: error }, 'sample of shared metrics failed'),
    health,
    signal: closing.signal,
  });
  const sharing = shareRates({
    orm,
    rateLimiter,
    registry: metrics.registry,
    onFailure: (error) => repeating.warn({ reason: (error as Error).message }, 'rate limits not shared'),
    signal: closing.signal,
  });
  // The first request already needs the number of processes.
  await registration.begun;
  const server = await listen(application, {
    port: configuration.port,
    host: configuration.host,
    maxConnections: configuration.maxConnections,
    linger: requestLimits.linger,
    headWithinMs: requestLimits.headWithinMs,
    logger,
    metrics: requestMetrics,
  }).catch(async (error: unknown) => {
    closing.abort();
    await Promise.all([exporting, watching, sharing]);
    await registration.close();
    await database.close();
    await metrics.close();
    throw portFailure(error, configuration.port);
  });
  logger.info({ port: server.port, host: configuration.host }, 'listening');
  if (paused.size > 0) logger.warn({ work: [...paused] }, 'work paused');
  void database.checkSettings();
  return {
    port: server.port,
    drain: async () => {
      draining = true;
      server.closeAfterResponses();
      logger.info({ delayMs: configuration.drainDelay }, 'draining');
      await pause(configuration.drainDelay);
    },
    close: async () => {
      await server.close();
      await registration.close();
      closing.abort();
      await Promise.all([exporting, watching, sharing]);
      await outbound.close();
      await senders.close();
      await wakes.flush();
      await temporal.close();
      await notices.close();
      await tokenUses.flush();
      await usage.write();
      await database.close();
      await metrics.close();
      await tracing?.close();
    },
  };
}

function workflowUrls({ temporalUiUrl, temporal }: ServerConfiguration) {
  if (temporalUiUrl === undefined) return () => null;
  const workflows = `${withoutTrailingSlashes(temporalUiUrl)}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/`;
  return (workflowId: string) => workflows + encodeURIComponent(workflowId);
}

/** Creates the value at the first call. Does not cache a failure, so the next call retries. */
function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
