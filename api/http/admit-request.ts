import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from 'koa';
import { messages } from '../../domain/messages.ts';
import type { Orm } from '../../platform/database/orm.ts';
import {
  authenticate,
  checkOrigin,
  ownerOf,
  WrongCredentials,
  type Authenticated,
  type Proofs,
} from './authenticate.ts';
import type { BodyBudget, BodyCharge } from './body-budget.ts';
import type { Credentials, Endpoint } from './endpoint.ts';
import { TransportError } from './problem.ts';
import type { FailureLimiter, RateLimiter } from './rate-limit.ts';
import { declaredBytes, receiveBody, type Reception } from './receive-body.ts';

/** By what requests are admitted. */
export interface Admission {
  readonly orm: Orm;
  readonly operatorToken: string | undefined;
  readonly rateLimiter: RateLimiter;
  readonly failureLimiter: FailureLimiter;
  readonly keys: Proofs['keys'];
  readonly bodyBudget: BodyBudget;
  /** Longest time from the head of a request to the end of its body. */
  readonly bodyWithinMs: number;
}

/** A request whose caller may be served, with all of its body. */
export interface Admitted {
  readonly authenticated: Authenticated;
  readonly body: Buffer;
}

/** Credentials that were checked longer ago when the body is whole are checked again: they may have been reset. */
const credentialsFreshMs = 1_000;

/**
 * Size, credentials, rate, body. Nothing of a body is kept before its caller is known. The refusals are reported in the
 * order of the wire: a chunked body is counted before wrong credentials or an exceeded rate are told.
 */
export async function admitRequest(
  admission: Admission,
  endpoint: Endpoint,
  context: Context,
): Promise<Admitted> {
  const { bodyWithinMs: withinMs } = admission;
  const limit = endpoint.bodyLimit ?? 1;
  const reception = { limit, withinMs, deadline: performance.now() + withinMs };
  const declared = declaredBytes(context.req, limit);
  const authenticated = await identify(admission, endpoint.credentials, context).catch(
    async (error: unknown) => {
      if (declared === undefined && !expectsContinue(context.req)) await receiveBody(context.req, reception);
      throw countedFailure(admission, error, context);
    },
  );
  if (declared !== undefined) limitRate(admission.rateLimiter, authenticated, context);
  const provedAt = performance.now();
  const body = await receiveCharged(admission, authenticated, reception, context);
  if (declared === undefined) limitRate(admission.rateLimiter, authenticated, context);
  if (performance.now() - provedAt < credentialsFreshMs) return { authenticated, body };
  return { authenticated: await identify(admission, endpoint.credentials, context), body };
}

/** The body, held in the budget until the response has been written or the connection is closed. */
async function receiveCharged(
  { bodyBudget }: Admission,
  authenticated: Authenticated,
  reception: Reception,
  { req, res }: Context,
): Promise<Buffer> {
  if (req.complete && req.readableLength === 0) return receiveBody(req, reception);
  if (expectsContinue(req) && !req.complete) res.writeContinue();
  const charge = res.closed ? undefined : bodyBudget.open(ownerOf(authenticated));
  if (charge !== undefined) releaseWithResponse(charge, req, res);
  return receiveBody(req, { ...reception, charge });
}

function releaseWithResponse(charge: BodyCharge, { socket }: IncomingMessage, res: ServerResponse): void {
  const release = (): void => {
    socket.off('close', release);
    charge.release();
  };
  res.once('close', release);
  // Node does not tell a response that waits for an earlier one on its connection that the connection has closed.
  if (res.socket === null) socket.once('close', release);
}

/** The body follows only after `100 Continue`. */
function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1';
}

async function identify(
  { orm, operatorToken, keys }: Admission,
  kind: Credentials,
  context: Context,
): Promise<Authenticated> {
  const authenticated = await authenticate(kind, context.headers, { em: orm.em, operatorToken, keys });
  context.state['keyId'] = authenticated.publicId;
  checkOrigin(context.headers, authenticated.allowedDomains);
  return authenticated;
}

/** Wrong credentials count by address; one too many of them is told as an exceeded rate. */
function countedFailure({ failureLimiter }: Admission, error: unknown, context: Context): unknown {
  const wait = error instanceof WrongCredentials ? failureLimiter.fail(context.ip) : 0;
  return wait > 0 ? tooMany(wait) : error;
}

function limitRate(limiter: RateLimiter, { scope }: Authenticated, context: Context): void {
  if (limiter.off || scope.kind !== 'apiKey') return;
  const rate = limiter.take(scope.ownerId);
  context.set('RateLimit-Limit', String(rate.limit));
  context.set('RateLimit-Remaining', String(rate.remaining));
  context.set('RateLimit-Reset', String(rate.reset));
  if (!rate.allowed) throw tooMany(rate.retryAfter);
}

function tooMany(seconds: number): TransportError {
  return new TransportError('RESOURCE_EXHAUSTED', messages.rateLimit(seconds), {
    headers: { 'Retry-After': String(seconds) },
  });
}
