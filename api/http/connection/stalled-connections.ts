import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds in which a connection must take a byte of what waits for it. */
export const stallLimitMs = 30_000;

/** Node counts a write as a whole; how much of it the kernel has taken is known to its handle alone, as Node's own timeouts use it. */
interface Writing extends Socket {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

interface Progress {
  /** Bytes of writes that have ended. */
  written: number;
  /** Bytes of the write under way that the kernel has not taken. */
  queued: number;
  /** When a byte was taken last. */
  at: number;
}

/**
 * Destroys connections that take no byte of a response for `limitMs`, whatever they send meanwhile. Returns what ends the
 * watch.
 */
export function destroyStalled(server: Server, limitMs: number = stallLimitMs): () => void {
  const sockets = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(
    () => {
      const now = performance.now();
      for (const [socket, progress] of sockets) watch(socket, progress, now);
    },
    Math.max(10, limitMs / 30),
  );
  timer.unref();

  function watch(socket: Writing, progress: Progress | undefined, now: number): void {
    if (socket.writableLength === 0) {
      if (progress !== undefined) sockets.set(socket, undefined);
      return;
    }
    const written = socket.bytesWritten - socket.writableLength;
    // Node has no public count of what the kernel has not taken of one write.
    // oxlint-disable-next-line no-underscore-dangle
    const queued = socket._handle?.writeQueueSize ?? 0;
    if (progress === undefined || written !== progress.written || queued < progress.queued) {
      sockets.set(socket, { written, queued, at: now });
    } else if (now - progress.at >= limitMs) {
      socket.destroy();
    } else {
      progress.queued = queued;
    }
  }

  return () => clearInterval(timer);
}
