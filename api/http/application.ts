import Koa from 'koa';
import compose from 'koa-compose';
import type { UsageMeter } from '../../domain/usage/usage-meter.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import type { Tracing } from '../../platform/tracing/spans.ts';
import type { BodyBudget } from './request/body-budget.ts';
import { declaredBy } from './declared-failures.ts';
import type { Endpoint } from './endpoint.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { accessLog } from './middleware/access-log.ts';
import { act, type Acts } from './middleware/act.ts';
import { body } from './middleware/body.ts';
import { callerAddress } from './middleware/caller-address.ts';
import { callableByPages, preflight, varyByOrigin } from './middleware/cross-origin.ts';
import { byHeaders, credentials, type Authentication } from './middleware/credentials.ts';
import { declaredSize, type BodyTime } from './middleware/declared-size.ts';
import { deniedAttempts, type Denials } from './middleware/denied-attempts.ts';
import { failureEnvelope } from './middleware/failure-envelope.ts';
import { idempotency, type IdempotencySecret } from './middleware/idempotency.ts';
import { rateLimit, type RequestLimit } from './middleware/rate-limit.ts';
import { requestHead } from './middleware/request-head.ts';
import { requestId } from './middleware/request-id.ts';
import type {
  Identify,
  IdempotentState,
  Operation,
  RequestContext,
  RequestMiddleware,
  RequestState,
  Routed,
  ValidatedState,
} from './middleware/state.ts';
import { traced } from './middleware/traced.ts';
import { unreadBody } from './middleware/unread-body.ts';
import { unrouted } from './middleware/unrouted.ts';
import { usage } from './middleware/usage.ts';
import { validation } from './middleware/validation.ts';
import { ResourceRouters } from './resource-routers.ts';
import type { LingerLimits } from './connection/close-gently.ts';

/** Dependencies of the operation middleware. */
export interface Gateway extends Authentication, BodyTime, RequestLimit, IdempotencySecret, Acts, Denials {
  readonly bodyBudget: BodyBudget;
}

/** A route without credentials of the API: health, API reference, signing keys, links of messages, reports of providers. */
export interface Page {
  readonly path: string;
  /** The path in logs and metrics, for a path with parameters, whose values must not appear there. */
  readonly name?: string;
  /** Default: GET and HEAD. */
  readonly method?: 'POST';
  readonly response: (context: RequestContext) => Promise<void> | void;
}

/** Dependencies of an application. */
export interface ApplicationOptions {
  readonly gateway: Gateway;
  readonly endpoints: readonly Endpoint[];
  readonly pages: readonly Page[];
  /** Serves `/console`. Undefined when it is off. */
  readonly console?: RequestMiddleware | undefined;
  readonly logger: Logger;
  /** Undefined when metrics are not served. */
  readonly metrics: RequestMetrics | undefined;
  readonly usage: Pick<UsageMeter, 'count'>;
  readonly linger: LingerLimits;
  /** CIDRs of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[];
  /** The access log contains one in this many successful requests. */
  readonly accessLogSampling: number;
  /** Undefined when tracing is off. */
  readonly tracing?: Tracing | undefined;
}

/** Creates the Koa application. Requests pass the middleware from top to bottom, responses from bottom to top. */
export function createApplication(options: ApplicationOptions): Koa<RequestState, Routed> {
  const { endpoints, logger, metrics, linger, trustedProxies, tracing } = options;
  const application = new Koa<RequestState, Routed>();
  // Replaces Koa's console output. Only a response that fails after its head was sent emits this event.
  application.on('error', (error: Error) => logger.debug({ reason: error.message }, 'response aborted'));
  application.use(requestId);
  if (tracing !== undefined) application.use(traced(tracing));
  application
    .use(callerAddress(trustedProxies))
    .use(accessLog(logger, options.accessLogSampling, metrics))
    .use(usage(options.usage))
    .use(unreadBody(linger))
    .use(failureEnvelope(logger, declaredBy(endpoints)))
    .use(requestHead)
    .use(preflight(endpoints))
    .use(routersOf(options).routes());
  // After the operations, whose requests it must not delay.
  if (options.console !== undefined) application.use(options.console);
  application.use(unrouted);
  return application;
}

/** One route per path, named after the path. */
function routersOf({ gateway, endpoints, pages }: ApplicationOptions): ResourceRouters {
  const routers = new ResourceRouters();
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths)
      // Composed once: the router would compose the chain of each request.
      routers.of(path).post(path, path, compose(operationMiddleware(gateway, { endpoint, path })));
  }
  for (const { path, name = path, method = 'GET', response } of pages)
    routers.of(path)[method === 'GET' ? 'get' : 'post'](name, path, (context) => response(context));
  return routers;
}

/** Steps of calls that are not authenticated by headers. */
export interface CallerSteps {
  readonly identify: Identify;
  /** Runs after the validation, before the act. */
  readonly admit: RequestMiddleware<ValidatedState>;
}

/**
 * The order of checks that the wire promises: path and method (the router), size, credentials, rate, JSON, shape. The
 * handler then checks state and existence, and runs the operation.
 */
export function operationMiddleware(
  gateway: Gateway,
  operation: Operation,
  steps?: CallerSteps,
): RequestMiddleware<IdempotentState>[] {
  const identify = steps?.identify ?? byHeaders(gateway, operation);
  return [
    ...(steps === undefined && callableByPages(operation.endpoint) ? [varyByOrigin] : []),
    declaredSize(gateway, operation),
    ...(operation.endpoint.audit === undefined ? [] : [deniedAttempts(gateway, operation)]),
    credentials(gateway, operation, identify),
    rateLimit(gateway),
    body(gateway, identify),
    validation(operation),
    ...(steps === undefined ? [] : [steps.admit]),
    idempotency(gateway, operation),
    act(gateway, operation),
  ];
}
