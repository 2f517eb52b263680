import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A caller that is still sending when it has its response. */
export interface LingerLimits {
  /** Bytes that are still read, and thrown away. */
  readonly maxBytes: number;
  /** Milliseconds until the connection is closed, counted from when the response has left. */
  readonly maxMs: number;
}

/** An announced rest of up to this size is awaited, and the connection stays usable. */
const awaitedBytes = 65_536;

/**
 * Prepares a response to a request whose body was not read: the connection ends behind it, unless the rest is small. A
 * small rest that does not follow within `maxMs` ends the connection, too.
 */
export function leaveBodyUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { maxMs }: LingerLimits,
): void {
  if (request.complete || response.headersSent) return;
  const { 'content-length': length, expect } = request.headers;
  // A caller that expected to be asked for its body will not send it now.
  const ended = request.socket.readableEnded || expect !== undefined;
  if (length === undefined || Number(length) > awaitedBytes || ended) {
    response.setHeader('Connection', 'close');
    return;
  }
  const timer = setTimeout(() => request.socket.destroySoon(), maxMs);
  request
    .once('end', () => clearTimeout(timer))
    .once('close', () => clearTimeout(timer))
    .resume();
}

/**
 * Closes a connection in the order that lets its caller read the last response: first our half, then, once the caller
 * has closed its own or the limits are reached, the rest. Closed at once, with bytes unread, the system would answer a
 * caller who is still sending by a reset, and the response would be lost. Node closes through `destroySoon` behind the
 * last response of a connection.
 */
export function closeGently(socket: Socket, { maxBytes, maxMs }: LingerLimits): void {
  socket.destroySoon = () => {
    // Only the first call closes.
    socket.destroySoon = () => undefined;
    if (socket.destroyed) return;
    let left = maxBytes;
    // The parser must see no more of it: another request behind the last one would be carried out.
    socket.removeAllListeners('data').removeAllListeners('end');
    socket.on('data', (chunk: Buffer) => {
      left -= chunk.length;
      if (left <= 0) socket.pause();
    });
    socket.once('end', () => {
      if (socket.writableFinished) socket.destroy();
      else socket.once('finish', () => socket.destroy());
    });
    const limit = (): void => {
      const timer = setTimeout(() => socket.destroy(), maxMs);
      socket.once('close', () => clearTimeout(timer));
    };
    if (socket.writableFinished) limit();
    else socket.once('finish', limit).end();
    socket.resume();
  };
}
