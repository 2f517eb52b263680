import type { Next } from 'koa';
import type { Endpoint } from '../endpoint.ts';
import { originNamed } from '../caller/origin.ts';
import type { RequestContext, RequestMiddleware } from './state.ts';

/**
 * Pages of a key's allowed domains may call the operations of API keys from a browser. Operations of workspaces and
 * operators send none of these headers. No operation allows cookies: pages send credentials themselves.
 */
const sentHeaders =
  'Content-Type, X-Svc-Api-Key, X-Svc-Auth-Token, Idempotency-Key, X-Request-Id, Traceparent, Tracestate';
const readHeaders =
  'X-Request-Id, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Ignored-Members, ' +
  'Idempotent-Replayed, X-Provider-Status';
const preflightSeconds = 600;

export const callableByPages = ({ credentials }: Endpoint): boolean => credentials === 'apiKey';

/**
 * Responds to a browser's preflight for an operation of API keys: 204 for every origin, because a preflight contains no
 * key. Other OPTIONS requests are refused later.
 */
export function preflight(endpoints: readonly Endpoint[]): RequestMiddleware {
  const paths = new Set(endpoints.filter(callableByPages).flatMap((endpoint) => endpoint.paths));
  return function preflight(context, next) {
    const { method, headers } = context;
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return next();
    if (!isEchoable(headers.origin) || !paths.has(context.path)) return next();
    context.status = 204;
    context.set({
      'Access-Control-Allow-Origin': headers.origin,
      'Access-Control-Allow-Methods': 'POST',
      'Access-Control-Allow-Headers': sentHeaders,
      'Access-Control-Max-Age': String(preflightSeconds),
      Vary: 'Origin',
    });
    return Promise.resolve();
  };
}

/** Sends `Vary: Origin` even when the request has no origin, because the response depends on it. */
export function varyByOrigin(context: RequestContext, next: Next): Promise<unknown> {
  context.set('Vary', 'Origin');
  return next();
}

/** Lets a page read the response when the key's allowed domains name its origin. An empty list names none. */
export function exposeToPage(context: RequestContext, allowedDomains: readonly string[]): void {
  const { origin } = context.headers;
  if (!isEchoable(origin) || !originNamed(origin, allowedDomains)) return;
  context.set('Access-Control-Allow-Origin', origin);
  context.set('Access-Control-Expose-Headers', readHeaders);
}

/** Node accepts bytes in received headers that it refuses to write. An origin has a host of at most 253 characters. */
const isEchoable = (origin: string | undefined): origin is string =>
  origin !== undefined && /^[\x21-\x7e]{1,300}$/.test(origin);
