import type { RestoreGate } from '../domain/deletion-replay/restore-gate.ts';
import type { Registration } from '../domain/processes/keep-registered.ts';
import type { LimitedLogger } from '../platform/logging/limit-repeats.ts';
import type { Metrics } from '../platform/metrics/open-metrics.ts';
import type { ServerConfiguration } from '../platform/config/configuration.ts';
import type { Logger } from '../platform/logging/logger.ts';
import type { Tracing } from '../platform/tracing/spans.ts';
import { ConcurrentCalls } from './http/caller/concurrent-calls.ts';
import { openConsole } from './console/open-console.ts';
import { referencePages } from './docs/page.ts';
import { healthPages } from './health.ts';
import { emailEventsPage } from './email-events/page.ts';
import { createApplication } from './http/application.ts';
import type { Endpoint } from './http/endpoint.ts';
import { openBudgets } from './http/budgets.ts';
import { RequestMetrics } from './http/request-metrics.ts';
import type { RequestLimits } from './http/request-limits.ts';
import { RateLimiter } from './http/caller/rate-limiter.ts';
import { ConnectionLimit } from './http/connection/connection-limit.ts';
import { connectionsWithin, maxOpenFiles } from './http/connection/open-files.ts';
import { openGateway } from './open-gateway.ts';
import { llmsPages } from './llms/pages.ts';
import { openApiPage } from './openapi/page.ts';
import { openApiSource } from './openapi/shared-document.ts';
import { unsubscribePages } from './unsubscribe/pages.ts';
import { jwksPage } from './well-known/jwks.ts';
import type { Connections } from './open-connections.ts';

/** What an API process has opened before its application. */
export interface ApplicationParts {
  readonly configuration: ServerConfiguration;
  readonly logger: Logger;
  /** Logs repeated lines at most once per period. */
  readonly repeating: LimitedLogger;
  readonly metrics: Metrics;
  /** Undefined while tracing is off. */
  readonly tracing: Tracing | undefined;
  readonly connections: Connections;
  readonly registration: Registration;
  readonly gate: RestoreGate;
  readonly health: Parameters<typeof healthPages>[0];
  readonly operations: readonly Endpoint[];
  readonly requestLimits: RequestLimits;
  /** Aborts when the process ends. */
  readonly closing: AbortSignal;
}

/** Assembles the application of an API process with the limits that it shares with its server. */
export function openApplication(parts: ApplicationParts) {
  const { configuration, logger, metrics, tracing, connections, registration, operations, requestLimits } =
    parts;
  const { orm, keyRing } = connections;
  const concurrentCalls = new ConcurrentCalls({
    orm,
    processId: registration.id,
    steady: registration.steady,
  });
  const rateLimiter = new RateLimiter({
    perSecond: configuration.rateLimit,
    burst: configuration.rateBurst,
    // No two processes may both start with the whole limit of a key.
    firstShare: () => 1 / registration.processes(),
  });
  const requestMetrics = new RequestMetrics(metrics.registry, operations);
  const { bodyWithinMs } = requestLimits;
  const budgets = openBudgets(metrics.registry, operations, {
    bodyBytes: configuration.bodyBudgetBytes,
    maxWaitMs: requestLimits.roomWithinMs,
  });
  const document = openApiSource(operations, configuration.publicUrl);
  const openFiles = maxOpenFiles();
  const maxConnections = connectionsWithin(configuration.maxConnections, openFiles);
  if (maxConnections < configuration.maxConnections)
    logger.warn({ openFiles, maxConnections }, 'connections limited by open files');
  const connectionLimit = new ConnectionLimit(maxConnections);
  const gateway = openGateway({
    ...parts,
    connectionLimit,
    concurrentCalls,
    rateLimiter,
    budgets,
    bodyWithinMs,
    temporalWithinMs: requestLimits.temporalWithinMs,
  });
  const { failureLimiter } = gateway;
  const application = createApplication({
    endpoints: operations,
    pages: [
      ...healthPages(parts.health),
      openApiPage(document),
      jwksPage(orm),
      ...llmsPages(operations, document),
      ...referencePages(operations, document),
      ...unsubscribePages({ orm, keyRing, failureLimiter, ...budgets, bodyWithinMs }),
      emailEventsPage({ orm, keyRing, rateLimiter, ...budgets, bodyWithinMs }),
    ],
    logger,
    metrics: metrics.served ? requestMetrics : undefined,
    usage: connections.usage,
    tracing,
    linger: requestLimits.linger,
    trustedProxies: configuration.trustedProxies,
    accessLogSampling: configuration.accessLogSampling,
    gateway,
    console: configuration.console.enabled ? openConsole(configuration, gateway, operations) : undefined,
  });
  return { application, connectionLimit, rateLimiter, readBudget: budgets.readBudget, requestMetrics };
}
