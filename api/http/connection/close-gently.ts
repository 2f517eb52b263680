import type { Socket } from 'node:net';

/** Limits for a caller that still sends after it got its response. */
export interface LingerLimits {
  /** Bytes that are read and discarded. */
  readonly maxBytes: number;
  /** Time from the end of the response until the connection is closed. */
  readonly maxMs: number;
}

/**
 * Lets callers read the last response of a connection: `destroySoon`, which Node calls after it, first closes our half.
 * The rest follows once the caller closes its half or a limit is reached. Closing at once with unread bytes would reset
 * the connection and lose the response.
 */
export function closeGently(socket: Socket, { maxBytes, maxMs }: LingerLimits): void {
  socket.destroySoon = () => {
    // Later calls do nothing.
    socket.destroySoon = () => undefined;
    if (socket.destroyed) return;
    let left = maxBytes;
    // Detaches the parser, which would otherwise run further requests.
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
