import { setTimeout as pause } from 'node:timers/promises';
import { openCrdtReads } from '../domain/crdt/crdt-reads.ts';
import { whenUndrained } from '../domain/events/events-recorded.ts';
import { entities } from '../domain/entities.ts';
import { keepRegistered } from '../domain/processes/keep-registered.ts';
import type { StartableJob } from '../domain/jobs/job-kinds.ts';
import { PermissionProvider } from '../domain/permissions/provider/permission-provider.ts';
import { TokenUses } from '../domain/credentials/token-uses.ts';
import { openWebhookProvider } from '../domain/webhooks/open-provider.ts';
import { respondedChannel } from '../domain/rewriter/staged-requests.ts';
import { signingSecret } from '../domain/signing/signing-secret.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { withoutTrailingSlashes } from '../platform/config/trailing-slashes.ts';
import { Notices } from '../platform/database/notices.ts';
import { openProcessDatabase } from '../platform/database/open-process-database.ts';
import { KeyRing } from '../platform/encryption/key-ring.ts';
import { limitRepeats } from '../platform/logging/limit-repeats.ts';
import { changeLevel, type Logger } from '../platform/logging/logger.ts';
import { openMetrics } from '../platform/metrics/open-metrics.ts';
import { openOutbound } from '../platform/outbound/outbound-connections.ts';
import type { Running } from '../platform/process/run-program.ts';
import { openTemporal } from '../platform/temporal/temporal-client.ts';
import { wakesOf } from '../platform/temporal/wakes.ts';
import { deliveryStartOf, dispatchStartOf, workflowStartOf } from '../workflows/starts.ts';
import { Rewriter } from './rewriter/rewriter.ts';
import { referencePages } from './docs/page.ts';
import { endpoints } from './endpoints.ts';
import { healthPages } from './health.ts';
import { createApplication } from './http/application.ts';
import type { Endpoint } from './http/endpoint.ts';
import { BodyBudget } from './http/request/body-budget.ts';
import type { LingerLimits } from './http/connection/close-gently.ts';
import { Cursors } from './http/response/cursor.ts';
import { DeniedAttempts } from './http/act/denied-attempts.ts';
import { GroupCommit } from './http/act/group-commit.ts';
import { ReadBudget } from './http/response/read-budget.ts';
import { FailureLimiter, RateLimiter } from './http/caller/rate-limit.ts';
import { listen } from './http/connection/server.ts';
import { openApiPage } from './openapi/page.ts';
import { jwksPage } from './well-known/jwks.ts';

/** Timeouts in milliseconds. The sweep repeats a workflow start that times out. */
const limits = { workflowStart: 500, temporalProbe: 800, statement: 10_000, tokenUses: 5_000 } as const;

/** Time limits for sending a request, and for sending on after its response. */
export interface RequestLimits {
  /** Max time to send the head. */
  readonly headWithinMs: number;
  /** Max time from the head to the end of the body. */
  readonly bodyWithinMs: number;
  /** Max time that a body waits for room in the body budget. */
  readonly roomWithinMs: number;
  readonly linger: LingerLimits;
}

const defaultRequestLimits: RequestLimits = {
  headWithinMs: 20_000,
  bodyWithinMs: 30_000,
  roomWithinMs: 5_000,
  linger: { maxBytes: 1_048_576, maxMs: 2_000 },
};

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
): Promise<RunningApi> {
  const requestLimits = { ...defaultRequestLimits, ...within };
  const metrics = await openMetrics(configuration, 'api');
  const repeating = limitRepeats(logger);
  const keyRing = new KeyRing(configuration.encryptionKeys);
  const temporal = openTemporal({
    ...configuration.temporal,
    onUnknownAttribute: (searchAttribute) =>
      repeating.warn({ searchAttribute }, 'search attribute not registered'),
  });
  const startJob = (job: StartableJob): void => {
    temporal.start(workflowStartOf(job), limits.workflowStart).catch((error: Error) => {
      repeating.info({ jobId: job.jobId, reason: error.message }, 'workflow start failed');
    });
  };
  const wakes = wakesOf(temporal, limits.workflowStart, repeating);
  const database = openProcessDatabase(configuration, logger, {
    statementTimeout: limits.statement,
    plansOnce: true,
    entities,
    onAnnounced: whenUndrained((keyId) => wakes.wake(dispatchStartOf({ keyId }))),
  });
  const { orm } = database;
  const tokenUses = new TokenUses(() => orm.em.fork(), limits.tokenUses);
  const notices = new Notices({ url: configuration.databaseDirectUrl, channel: respondedChannel });
  const outbound = openOutbound({
    allowedNetworks: configuration.outboundAllowedNetworks,
    httpsOnly: configuration.webhookHttpsOnly,
  });
  let draining = false;
  const application = createApplication({
    endpoints: operations,
    pages: [
      ...healthPages({
        pendingMigrations: database.pendingMigrations,
        temporalAvailable: () => temporal.available(limits.temporalProbe),
        draining: () => draining,
      }),
      openApiPage(operations),
      jwksPage(orm),
      ...referencePages,
    ],
    logger,
    linger: requestLimits.linger,
    trustedProxies: configuration.trustedProxies,
    accessLogSampling: configuration.accessLogSampling,
    gateway: {
      orm,
      keyRing,
      crdtReads: openCrdtReads(orm.em),
      publicUrl: configuration.publicUrl,
      permissionProvider: new PermissionProvider({
        orm,
        keyRing,
        allowedNetworks: configuration.outboundAllowedNetworks,
        onFailure: ({ keyId, reason }) => logger.warn({ keyId, reason }, 'permission provider failed'),
      }),
      webhooks: await openWebhookProvider(configuration),
      outbound,
      rewriter: new Rewriter({
        orm,
        temporal,
        notices,
        ...configuration.rewriter,
        onFailure: ({ callerRequestId: requestId, requestId: callId, keyId }, reason) =>
          repeating.warn({ requestId, callId, keyId, reason }, 'AI call not started'),
      }),
      startJob,
      wakeEndpoint: (endpoint) => wakes.wake(deliveryStartOf(endpoint)),
      workflowUrl: workflowUrls(configuration),
      operatorToken: configuration.operatorToken,
      cursors: lazily(async () => new Cursors(await signingSecret(orm.em.fork(), keyRing, 'cursor'))),
      idempotencySecret: lazily(async () => signingSecret(orm.em.fork(), keyRing, 'idempotency')),
      rateLimiter: new RateLimiter(configuration.rateLimit, configuration.rateBurst),
      tokenUses,
      failureLimiter: new FailureLimiter(configuration.failedCredentialsLimit),
      groupCommit: new GroupCommit(),
      deniedAttempts: new DeniedAttempts({
        orm,
        keyRing,
        onFailure: (reason) => logger.warn({ reason }, 'audit entry not written'),
      }),
      readBudget: new ReadBudget(),
      bodyBudget: new BodyBudget({
        bytes: configuration.bodyBudget,
        maxBodyBytes: Math.max(...operations.map(({ maxBodyMebibytes = 1 }) => maxBodyMebibytes)) * 1_048_576,
        maxWaitMs: requestLimits.roomWithinMs,
      }),
      bodyWithinMs: requestLimits.bodyWithinMs,
    },
  });
  const server = await listen(application, {
    port: configuration.port,
    host: configuration.host,
    maxConnections: configuration.maxConnections,
    linger: requestLimits.linger,
    headWithinMs: requestLimits.headWithinMs,
    logger,
  }).catch(async (error: unknown) => {
    await database.close();
    await metrics.close();
    throw portFailure(error, configuration.port);
  });
  logger.info({ port: server.port, host: configuration.host }, 'listening');
  void database.checkSettings();
  const registration = keepRegistered({
    orm,
    kind: 'api',
    onFailure: (error) => logger.debug({ err: error }, 'process heartbeat failed'),
    onLogLevel: (level = configuration.logLevel) => changeLevel(logger, level),
  });
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
      await outbound.close();
      await temporal.close();
      await notices.close();
      await tokenUses.flush();
      await database.close();
      await metrics.close();
    },
  };
}

function workflowUrls({ temporalUiUrl, temporal }: ServerConfiguration) {
  if (temporalUiUrl === undefined) return () => null;
  const workflows = `${withoutTrailingSlashes(temporalUiUrl)}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/`;
  return (workflowId: string) => workflows + encodeURIComponent(workflowId);
}

function portFailure(error: unknown, port: number): Error {
  const { code } = error as { code?: string };
  if (code === 'EADDRINUSE') {
    return new Error(
      `Port ${String(port)} is taken. Choose another with PORT=<port>, or PORT=0 for a free one.`,
    );
  }
  if (code === 'EACCES')
    return new Error(
      `Port ${String(port)} may not be used by this user. Choose one above 1023 with PORT=<port>.`,
    );
  return error instanceof Error ? error : new Error(String(error));
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
