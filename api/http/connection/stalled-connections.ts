import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Time after which a connection that accepts no byte of its response is destroyed. */
const stallLimitMs = 30_000;

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
  /** Time of the last progress. */
  at: number;
}

/**
 * Destroys connections that accept no byte of a response for `limitMs`, even if they send bytes. Returns a function that
 * stops the watch. `now` is read once per check of all connections.
 */
export function destroyStalled(
  server: Server,
  limitMs: number = stallLimitMs,
  now: () => number = () => performance.now(),
): () => void {
  const sockets = new Map<Socket, Progress | undefined>();
  server.on('connection', (socket: Socket) => {
    sockets.set(socket, undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  const timer = setInterval(
    () => {
      const at = now();
      for (const [socket, progress] of sockets) watch(socket, progress, at);
    },
    Math.max(10, limitMs / 30),
  );
  timer.unref();

  function watch(socket: Writing, progress: Progress | undefined, at: number): void {
    if (socket.writableLength === 0) {
      if (progress !== undefined) sockets.set(socket, undefined);
      return;
    }
    const written = socket.bytesWritten - socket.writableLength;
    // Node has no public counter of the bytes that the kernel has not taken.
    // oxlint-disable-next-line no-underscore-dangle
    const queued = socket._handle?.writeQueueSize ?? 0;
    if (progress === undefined || written !== progress.written || queued < progress.queued) {
      sockets.set(socket, { written, queued, at });
    } else if (at - progress.at >= limitMs) {
      socket.destroy();
    } else {
      progress.queued = queued;
    }
  }

  return () => clearInterval(timer);
}
