import type { Orm } from '../../../platform/database/orm.ts';
import {
  authenticate,
  checkOrigin,
  WrongCredentials,
  type Authenticated,
  type CredentialSources,
} from '../caller/authenticate.ts';
import { TransportError } from '../response/transport-error.ts';
import type { FailureLimiter } from '../caller/rate-limit.ts';
import { frameMessages } from '../messages.ts';
import { expectsContinue, receiveBody } from '../request/receive-body.ts';
import type { AuthenticatedState, Operation, RequestContext, RequestMiddleware } from './state.ts';

/** What callers are authenticated with. */
export interface Authentication extends Pick<CredentialSources, 'operatorToken' | 'keys'> {
  readonly orm: Orm;
  readonly failureLimiter: FailureLimiter;
}

/**
 * Proves the caller. A chunked body is counted before wrong credentials are refused, because a size beyond the limit is
 * refused first; nothing of it is kept before its caller is known.
 */
export function credentials(
  authentication: Authentication,
  operation: Operation,
): RequestMiddleware<AuthenticatedState> {
  return async function credentials(context, next) {
    const { req, state } = context;
    try {
      state.authenticated = await identify(authentication, operation, context);
    } catch (error) {
      if (state.chunked && !expectsContinue(req)) await receiveBody(req, state.reception);
      throw countedFailure(authentication, error, context);
    }
    state.authenticatedAt = performance.now();
    await next();
  };
}

/** Throws UNAUTHENTICATED for missing credentials, PERMISSION_DENIED for wrong ones and for a page of a host that is not allowed. */
export async function identify(
  { orm, operatorToken, keys }: Authentication,
  { endpoint }: Operation,
  { headers, state }: RequestContext,
): Promise<Authenticated> {
  const authenticated = await authenticate(endpoint.credentials, headers, {
    em: orm.em,
    operatorToken,
    keys,
  });
  state.keyId = authenticated.publicId;
  checkOrigin(headers, authenticated.allowedDomains);
  return authenticated;
}

/** Wrong credentials count by address; one too many of them is refused as an exceeded rate. */
function countedFailure({ failureLimiter }: Authentication, error: unknown, { ip }: RequestContext): unknown {
  const wait = error instanceof WrongCredentials ? failureLimiter.fail(ip) : 0;
  return wait > 0 ? tooManyRequests(wait) : error;
}

/** Refuses with 429 and `Retry-After`. */
export function tooManyRequests(seconds: number): TransportError {
  return new TransportError('RESOURCE_EXHAUSTED', frameMessages.rateLimit(seconds), {
    headers: { 'Retry-After': String(seconds) },
  });
}
