import type { LingerLimits } from '../connection/close-gently.ts';
import { CompactRequest } from '../connection/compact-request.ts';
import type { RequestMiddleware } from './state.ts';

/** Max Content-Length of an unread body that is drained to keep the connection. */
const maxDrainedBytes = 65_536;

/**
 * Handles a response to a request whose body was not read. Drains a body of up to 64 KiB for at most `maxMs`; otherwise
 * closes the connection after the response.
 */
export function unreadBody({ maxMs }: LingerLimits): RequestMiddleware {
  return async function unreadBody(context, next) {
    await next();
    const { req } = context;
    if (req.complete || context.headerSent) return;
    const { socket } = req;
    const { 'content-length': length, expect } = req.headers;
    // A caller that waits for `100 Continue` sends no body after a final response.
    const ended = socket.readableEnded || expect !== undefined;
    if (length === undefined || Number(length) > maxDrainedBytes || ended) {
      context.set('Connection', 'close');
      // A caller that does not read the response would keep it in memory.
      if (req instanceof CompactRequest) req.discard();
      return;
    }
    const timer = setTimeout(() => socket.destroySoon(), maxMs);
    req
      .once('end', () => clearTimeout(timer))
      .once('close', () => clearTimeout(timer))
      .resume();
  };
}
