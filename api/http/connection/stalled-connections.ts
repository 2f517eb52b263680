import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Time after which a connection that accepts no byte of its response is destroyed. */
const stallLimitMs = 30_000;

/** Bytes that a connection must accept in this time while memory for responses is short: 2 KiB a second. */
const minAcceptedBytes = 65_536;

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
  /** Bytes of the current write that `accepted` contains already. */
  counted: number;
  /** Time of the last progress. */
  at: number;
  /** Start of the period in which the kernel has accepted at least `accepted` bytes. */
  since: number;
  accepted: number;
}

/** Limits of `destroyStalled`. */
export interface StallOptions {
  readonly limitMs?: number;
  /** Whether other responses lack memory: callers that take their responses too slowly then lose their connections. */
  readonly isShort: () => boolean;
  /** Read once per check of all connections. */
  readonly now?: () => number;
}

/**
 * Destroys connections that accept no byte of a response for `limitMs`, even if they send bytes. Destroys those that accept
 * less than 64 KiB in this time, too, while memory is short. Returns a function that stops the watch.
 */
export function destroyStalled(
  server: Server,
  { limitMs = stallLimitMs, isShort, now = () => performance.now() }: StallOptions,
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
    if (progress === undefined) {
      sockets.set(socket, { written, queued, counted: 0, at, since: at, accepted: 0 });
      return;
    }
    const completed = Math.max(0, written - progress.written);
    const accepted = Math.max(0, completed > 0 ? completed - progress.counted : progress.queued - queued);
    progress.counted = completed > 0 ? 0 : progress.counted + accepted;
    progress.accepted += accepted;
    if (accepted > 0) progress.at = at;
    const isSlow = at - progress.since >= limitMs && progress.accepted < minAcceptedBytes;
    if (at - progress.at >= limitMs || (isSlow && isShort())) socket.destroy();
    if (at - progress.since >= limitMs) Object.assign(progress, { since: at, accepted: 0 });
    Object.assign(progress, { written, queued });
  }

  return () => clearInterval(timer);
}
