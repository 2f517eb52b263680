import type { TokenUses } from '../../../domain/credentials/token-uses.ts';
import { messages } from '../../../domain/messages.ts';
import type { Orm } from '../../../platform/database/orm.ts';
import {
  authenticate,
  checkOrigin,
  checkScope,
  ownerOf,
  WrongCredentials,
  type Authenticated,
  type CredentialSources,
} from '../caller/authenticate.ts';
import { checkActive } from '../caller/check-active.ts';
import type { ConnectionLimit } from '../connection/connection-limit.ts';
import type { Endpoint } from '../endpoint.ts';
import { checkTokenScope } from '../caller/token-scope.ts';
import { tooManyRequests, TransportError } from '../response/transport-error.ts';
import type { FailureLimiter } from '../caller/failure-limiter.ts';
import type { RateLimiter } from '../caller/rate-limiter.ts';
import { expectsContinue, receiveBody, type Reception } from '../request/receive-body.ts';
import { callableByPages, exposeToPage } from './cross-origin.ts';
import { reportingRate } from './rate-headers.ts';
import type { AuthenticatedState, Identify, Operation, RequestContext, RequestMiddleware } from './state.ts';

/** Dependencies of authentication. */
export interface Authentication extends Pick<CredentialSources, 'operatorToken'> {
  readonly orm: Orm;
  readonly failureLimiter: FailureLimiter;
  readonly tokenUses: TokenUses;
  readonly rateLimiter: RateLimiter;
  readonly connectionLimit: Pick<ConnectionLimit, 'hold' | 'isShort'>;
  /**
   * Whether customers' calls are served. After a restore, they wait until the journal's deletions ran again, as do
   * operators' calls with `waitsForRestore`.
   */
  readonly restoreGate: { readonly isOpen: () => boolean };
}

/** Max time in which the body of a refused caller is counted while connections are short. */
const shortCountMs = 1_000;

/**
 * Authenticates the caller, whose call then holds its connection. With wrong credentials it counts the failure, then the
 * bytes of a chunked body without keeping them, because an oversized body is rejected before wrong credentials.
 */
export function credentials(
  authentication: Authentication,
  operation: Operation,
  identify: Identify,
): RequestMiddleware<AuthenticatedState> {
  const { connectionLimit } = authentication;
  return async function credentials(context, next) {
    const { req, state } = context;
    if (!authentication.restoreGate.isOpen() && waitsForRestore(operation)) throw notRestored();
    try {
      state.authenticated = await identify(context);
    } catch (error) {
      const failure = await countedFailure(authentication, error, context);
      if (state.chunked && !expectsContinue(req))
        await receiveBody(
          req,
          connectionLimit.isShort() ? shorter(state.reception, failure) : state.reception,
        );
      throw failure;
    }
    connectionLimit.hold(context.socket, ownerOf(state.authenticated));
    state.authenticatedAt = performance.now();
    await next();
  };
}

const waitsForRestore = ({ endpoint }: Operation): boolean =>
  endpoint.credentials !== 'operator' || endpoint.waitsForRestore === true;

/** Ends with the refusal itself: a body that is still missing may be within the limit. */
const shorter = (reception: Reception, failure: unknown): Reception => ({
  ...reception,
  deadline: Math.min(reception.deadline, performance.now() + shortCountMs),
  late: failure as Error,
});

/**
 * Authenticates by the headers. Throws UNAUTHENTICATED for missing credentials. Throws PERMISSION_DENIED for wrong
 * ones, and for those of a disabled key or workspace. Throws it also for an origin that is not allowed, and a token
 * without the scope of the operation.
 */
export const byHeaders =
  (authentication: Authentication, { endpoint }: Operation): Identify =>
  async (context) => {
    const { headers, state } = context;
    const { orm, operatorToken, rateLimiter } = authentication;
    const authenticated = await authenticate(endpoint, headers, {
      em: orm.em,
      operatorToken,
      requestId: state.requestId,
    });
    // Set before the checks of a known caller, whose refusals are logged and audited with it.
    state.callerId = authenticated.publicId;
    // A page may read the refusals below too.
    if (callableByPages(endpoint)) exposeToPage(context, authenticated.allowedDomains);
    reportingRate(context, rateLimiter, authenticated, () => {
      checkActive(authenticated);
      checkScope(authenticated, endpoint);
      checkOrigin(headers, authenticated.allowedDomains);
      admitToken(authentication, endpoint, authenticated);
    });
    return authenticated;
  };

/** Throws PERMISSION_DENIED for an auth token without the scope of the operation. Records its use. */
export function admitToken(
  { tokenUses }: Pick<Authentication, 'tokenUses'>,
  endpoint: Endpoint,
  { token }: Authenticated,
): void {
  if (token === undefined) return;
  checkTokenScope(endpoint, token.scopes);
  if (token.useUnrecorded) tokenUses.add(token.hash);
}

/** UNAVAILABLE: the restored database may contain users whose deletion had completed. */
const notRestored = (): TransportError =>
  new TransportError('UNAVAILABLE', messages.unavailable, {
    headers: { 'Retry-After': '5' },
    refusal: 'restore',
  });

/** Counts wrong credentials per address. Beyond the limit it returns RESOURCE_EXHAUSTED instead. */
export async function countedFailure(
  { failureLimiter }: Pick<Authentication, 'failureLimiter'>,
  error: unknown,
  { state }: RequestContext,
): Promise<unknown> {
  if (!(error instanceof WrongCredentials)) return error;
  state.wrongCredentials = true;
  const wait = await failureLimiter.fail(state.address);
  return wait > 0 ? tooManyRequests(wait, 'failed_credentials') : error;
}
