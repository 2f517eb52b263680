import type { BodyBudget } from '../request/body-budget.ts';
import type { RateLimiter } from '../caller/rate-limiter.ts';
import { expectsContinue, receiveBody } from '../request/receive-body.ts';
import { receiveCharged } from '../request/receive-charged.ts';
import { tooManyRequests } from '../response/transport-error.ts';
import { setRateHeaders } from './rate-headers.ts';
import type { AuthenticatedState, RequestMiddleware } from './state.ts';

/** Dependencies of the rate limit. */
export interface RequestLimit {
  readonly rateLimiter: RateLimiter;
  readonly bodyBudget: BodyBudget;
}

/**
 * Takes a token from the key's bucket and reports the rest in `RateLimit-…`, also for a chunked body that is refused.
 * Beyond the rate it counts the bytes of such a body without keeping them, because an oversized body is rejected first.
 */
export function rateLimit({ rateLimiter, bodyBudget }: RequestLimit): RequestMiddleware<AuthenticatedState> {
  return async function rateLimit(context, next) {
    const { chunked, authenticated } = context.state;
    const { scope, limits } = authenticated;
    const rate = limits && rateLimiter.admit(scope.ownerId, limits);
    if (rate !== undefined) setRateHeaders(context, rate);
    if (rate?.allowed === false) {
      if (chunked && !expectsContinue(context.req)) await receiveBody(context.req, context.state.reception);
      throw tooManyRequests(rate.retryAfter, 'rate');
    }
    if (chunked) await receiveCharged(bodyBudget, context);
    await next();
  };
}
