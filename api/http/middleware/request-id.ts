import type { Next } from 'koa';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import type { RequestContext } from './state.ts';

const callersRequestId = /^[!-~]{1,128}$/;

/** Sets the request id: the caller's if it is 1 to 128 visible ASCII characters, otherwise a random one. */
export function requestId(context: RequestContext, next: Next): Promise<unknown> {
  const sent = context.get('x-request-id');
  const id = callersRequestId.test(sent) ? sent : randomToken('req');
  context.state.requestId = id;
  context.set('X-Request-Id', id);
  return next();
}
