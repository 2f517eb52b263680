import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Time after which a connection that takes no byte of its response is destroyed. */
export const stallLimitMs = 30_000;

/**
 * Node counts whole writes. Only the handle knows how much of a write the kernel has accepted; Node's timeouts also use
 * it.
 */
interface Writing extends Socket {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}

interface Progress {
  /** Bytes of completed writes. */
  written: number;
  /** Bytes of the current write that the kernel has not taken. */
  queued: number;
  /** Time of the last progress, by `performance.now()`. */
  at: number;
}

/**
 * Destroys connections that take no byte of a response for `limitMs`, even if they send bytes. Returns a function that
 * stops the watch.
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
    // Node has no public counter of the bytes that the kernel has not taken.
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
