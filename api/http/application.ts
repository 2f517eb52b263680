import Router from '@koa/router';
import Koa from 'koa';
import type { Logger } from '../../platform/logging/logger.ts';
import type { BodyBudget } from './request/body-budget.ts';
import { declaredBy } from './declared-failures.ts';
import type { Endpoint } from './endpoint.ts';
import { accessLog } from './middleware/access-log.ts';
import { act, type Acts } from './middleware/act.ts';
import { body } from './middleware/body.ts';
import { credentials, type Authentication } from './middleware/credentials.ts';
import { declaredSize, type BodyTime } from './middleware/declared-size.ts';
import { failureEnvelope } from './middleware/failure-envelope.ts';
import { idempotency, type IdempotencySecret } from './middleware/idempotency.ts';
import { rateLimit, type RequestLimit } from './middleware/rate-limit.ts';
import { requestHead } from './middleware/request-head.ts';
import { requestId } from './middleware/request-id.ts';
import type {
  IdempotentState,
  Operation,
  RequestContext,
  RequestMiddleware,
  RequestState,
  Routed,
} from './middleware/state.ts';
import { unreadBody } from './middleware/unread-body.ts';
import { unrouted } from './middleware/unrouted.ts';
import { validation } from './middleware/validation.ts';
import type { LingerLimits } from './connection/close-gently.ts';

/** What the middleware of operations works with. */
export interface Gateway extends Authentication, BodyTime, RequestLimit, IdempotencySecret, Acts {
  readonly bodyBudget: BodyBudget;
}

/** A page beside the operations, for GET and HEAD: health, reference. */
export interface Page {
  readonly path: string;
  response(context: RequestContext): Promise<void> | void;
}

/** What an application consists of. */
export interface ApplicationOptions {
  readonly gateway: Gateway;
  readonly endpoints: readonly Endpoint[];
  readonly pages: readonly Page[];
  readonly logger: Logger;
  readonly linger: LingerLimits;
}

/** The Koa application: every request passes this column, from the top down, and its response from the bottom up. */
export function createApplication(options: ApplicationOptions): Koa<RequestState, Routed> {
  const { endpoints, logger, linger } = options;
  const application = new Koa<RequestState, Routed>();
  // Koa writes to the console what reaches it; nothing does but a response that broke after its head.
  application.on('error', (error: Error) => logger.debug({ reason: error.message }, 'response aborted'));
  application
    .use(requestId)
    .use(accessLog(logger))
    .use(unreadBody(linger))
    .use(failureEnvelope(logger, declaredBy(endpoints)))
    .use(requestHead)
    .use(routerOf(options).routes())
    .use(unrouted);
  return application;
}

/** One route for each path, named by it. A path has one spelling: another case or a trailing slash is another path. */
function routerOf({ gateway, endpoints, pages }: ApplicationOptions): Router<RequestState, Routed> {
  const router = new Router<RequestState, Routed>({ strict: true, sensitive: true });
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths)
      router.post(path, path, ...operationColumn(gateway, { endpoint, path }));
  }
  for (const page of pages) router.get(page.path, page.path, (context) => page.response(context));
  return router;
}

/**
 * What a request to an operation passes, in the order of checks that the wire promises: path and method (the router), size,
 * credentials, rate, JSON, shape; then state, existence and the act, which are the handler's.
 */
function operationColumn(gateway: Gateway, operation: Operation): RequestMiddleware<IdempotentState>[] {
  return [
    declaredSize(gateway, operation),
    credentials(gateway, operation),
    rateLimit(gateway),
    body(gateway, operation),
    validation(operation),
    idempotency(gateway, operation),
    act(gateway, operation),
  ];
}
