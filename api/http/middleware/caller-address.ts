import type { Next } from 'koa';
import { callerAddresses } from '../caller/address.ts';
import type { RequestContext } from './state.ts';

/** Sets the caller's address at once: a connection that has ended no longer has one. */
export function callerAddress(trustedProxies: readonly string[]) {
  const addressOf = callerAddresses(trustedProxies);
  return function callerAddress({ req, state }: RequestContext, next: Next): Promise<unknown> {
    state.address = addressOf(req.socket.remoteAddress, req.headers['x-forwarded-for']);
    return next();
  };
}
