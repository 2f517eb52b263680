import type { Socket } from 'node:net';

/** A caller that is still sending when it has its response. */
export interface LingerLimits {
  /** Bytes that are still read, and thrown away. */
  readonly maxBytes: number;
  /** Milliseconds until the connection is closed, counted from when the response has left. */
  readonly maxMs: number;
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
