import { countFailures } from '../domain/credentials/count-failures.ts';
import { signingSecret } from '../domain/signing/signing-secret.ts';
import type { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import { withoutTrailingSlashes } from '../platform/config/trailing-slashes.ts';
import type { LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { lazily } from '../platform/process/single-flight.ts';
import { deliveryStartOf } from '../workflows/starts.ts';
import type { ConcurrentCalls } from './http/caller/concurrent-calls.ts';
import type { Gateway } from './http/application.ts';
import { DeniedAttempts } from './http/act/denied-attempts.ts';
import { GroupCommit } from './http/act/group-commit.ts';
import type { openBudgets } from './http/budgets.ts';
import { FailureLimiter } from './http/caller/failure-limiter.ts';
import type { ConnectionLimit } from './http/connection/connection-limit.ts';
import type { RateLimiter } from './http/caller/rate-limiter.ts';
import { Cursors } from './http/response/cursor.ts';
import type { Connections } from './open-connections.ts';
import { Rewriter } from './rewriter/rewriter.ts';

export interface GatewayOptions {
  readonly configuration: ServerConfiguration;
  readonly connections: Connections;
  readonly connectionLimit: ConnectionLimit;
  readonly logger: Logger;
  /** Logs repeated lines at most once per period. */
  readonly repeating: LimitedLogger;
  readonly concurrentCalls: ConcurrentCalls;
  readonly rateLimiter: RateLimiter;
  readonly budgets: ReturnType<typeof openBudgets>;
  readonly gate: RestoreGate;
  readonly bodyWithinMs: number;
  readonly temporalWithinMs: number;
  /** Aborts when the process ends. */
  readonly closing: AbortSignal;
}

/** Assembles the dependencies of the middleware and of all handlers. */
export function openGateway({
  configuration,
  connections,
  connectionLimit,
  logger,
  repeating,
  concurrentCalls,
  rateLimiter,
  budgets,
  gate,
  bodyWithinMs,
  temporalWithinMs,
  closing,
}: GatewayOptions): Gateway {
  const { orm, keyRing, temporal, listener, wakes } = connections;
  return {
    orm,
    keyRing,
    services: {
      crdtReads: connections.crdtReads,
      publicUrl: configuration.publicUrl,
      messaging: configuration.messaging,
      senders: connections.senders,
      permissionProvider: connections.permissionProvider,
      webhooks: connections.webhooks,
      outbound: connections.outbound,
      rewriter: new Rewriter({
        orm,
        temporal,
        listener,
        concurrentCalls,
        temporalWithinMs,
        ...configuration.rewriter,
        paused: configuration.paused.has('deliveries'),
        closing,
        onFailure: ({ callerRequestId: requestId, requestId: callId, keyId }, reason) =>
          repeating.warn({ requestId, callId, keyId, reason }, 'AI call not started'),
      }),
      concurrentCalls,
      workflowUrl: workflowUrls(configuration),
    },
    startJob: connections.startJob,
    wakeEndpoint: (endpoint) => wakes.wake(deliveryStartOf(endpoint)),
    operatorToken: configuration.operatorToken,
    cursors: lazily(async () => new Cursors(await signingSecret(orm.em.fork(), keyRing, 'cursor'))),
    idempotencySecret: lazily(async () => signingSecret(orm.em.fork(), keyRing, 'idempotency')),
    rateLimiter,
    tokenUses: connections.tokenUses,
    failureLimiter: new FailureLimiter({
      limit: configuration.failedCredentialsLimit,
      count: async (failures, windowMs) => countFailures(orm.em.fork(), failures, windowMs),
    }),
    groupCommit: new GroupCommit(),
    restoreGate: gate,
    connectionLimit,
    deniedAttempts: new DeniedAttempts({
      orm,
      keyRing,
      onFailure: (reason) => logger.warn({ reason }, 'audit entry not written'),
    }),
    ...budgets,
    bodyWithinMs,
  };
}

function workflowUrls({ temporalUiUrl, temporal }: ServerConfiguration) {
  if (temporalUiUrl === undefined) return () => null;
  const workflows = `${withoutTrailingSlashes(temporalUiUrl)}/namespaces/${encodeURIComponent(temporal.namespace)}/workflows/`;
  return (workflowId: string) => workflows + encodeURIComponent(workflowId);
}
