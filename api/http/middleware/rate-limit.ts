import type { BodyBudget } from '../request/body-budget.ts';
import type { RateLimiter } from '../caller/rate-limiter.ts';
import { receiveCharged } from '../request/receive-charged.ts';
import { tooManyRequests } from './credentials.ts';
import { setRateHeaders } from './rate-headers.ts';
import type { AuthenticatedState, RequestMiddleware } from './state.ts';

/** Dependencies of the rate limit. */
export interface RequestLimit {
  readonly rateLimiter: RateLimiter;
  readonly bodyBudget: BodyBudget;
}

/**
 * Takes a token from the key's bucket and reports the rest in `RateLimit-…`, also for a chunked body that is refused. Such
 * a body is received before the rate is checked, because an oversized body is rejected before an exceeded rate.
 */
export function rateLimit({ rateLimiter, bodyBudget }: RequestLimit): RequestMiddleware<AuthenticatedState> {
  return async function rateLimit(context, next) {
    const { chunked, authenticated } = context.state;
    const { scope, limits } = authenticated;
    const isLimited = limits !== undefined && !rateLimiter.off(limits);
    const rate = isLimited ? rateLimiter.take(scope.ownerId, limits) : undefined;
    if (rate !== undefined) setRateHeaders(context, rate);
    if (chunked) await receiveCharged(bodyBudget, context);
    if (rate?.allowed === false) throw tooManyRequests(rate.retryAfter, 'rate');
    await next();
  };
}
