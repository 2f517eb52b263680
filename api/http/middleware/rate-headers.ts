import type { Authenticated } from '../caller/authenticate.ts';
import type { RateLimiter } from '../caller/rate-limiter.ts';
import type { RateState } from '../caller/token-bucket.ts';
import type { RequestContext } from './state.ts';

/** Reports a key's rate limit in `RateLimit-…`. */
export function setRateHeaders(
  context: Pick<RequestContext, 'set'>,
  { limit, remaining, reset }: RateState,
): void {
  context.set('RateLimit-Limit', String(limit));
  context.set('RateLimit-Remaining', String(remaining));
  context.set('RateLimit-Reset', String(reset));
}

/**
 * Runs the checks of a caller with valid credentials. Their refusals report the key's rate limit too, but take no token
 * from it.
 */
export function reportingRate(
  context: Pick<RequestContext, 'set'>,
  rateLimiter: RateLimiter,
  { scope, limits }: Authenticated,
  checks: () => void,
): void {
  try {
    checks();
  } catch (error) {
    if (limits !== undefined && !rateLimiter.isUnlimited(limits))
      setRateHeaders(context, rateLimiter.peek(scope.ownerId, limits));
    throw error;
  }
}
