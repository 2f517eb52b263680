import type { LingerLimits } from '../connection/close-gently.ts';
import type { RequestMiddleware } from './state.ts';

/** An announced rest of up to this size is awaited, and the connection stays usable. */
const awaitedBytes = 65_536;

/**
 * Prepares a response to a request whose body was not read: the connection ends behind it, unless the rest is small. A
 * small rest that does not follow within `maxMs` ends the connection, too.
 */
export function unreadBody({ maxMs }: LingerLimits): RequestMiddleware {
  return async function unreadBody(context, next) {
    await next();
    const { req } = context;
    if (req.complete || context.headerSent) return;
    const { socket } = req;
    const { 'content-length': length, expect } = req.headers;
    // A caller that expected to be asked for its body will not send it now.
    const ended = socket.readableEnded || expect !== undefined;
    if (length === undefined || Number(length) > awaitedBytes || ended) {
      context.set('Connection', 'close');
      return;
    }
    const timer = setTimeout(() => socket.destroySoon(), maxMs);
    req
      .once('end', () => clearTimeout(timer))
      .once('close', () => clearTimeout(timer))
      .resume();
  };
}
