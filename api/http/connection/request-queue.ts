import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Handles a request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Max waiting requests of a connection. The 64 KiB that Node reads before it can pause contain fewer requests with
 * credentials. A connection with more is destroyed.
 */
const maxWaitingPerConnection = 512;

/**
 * Max waiting requests of all connections, and max connections of which a request with a body waits: up to 64 KiB of it
 * are in memory. Beyond them, the connection whose requests have waited longest is destroyed.
 */
const maxWaiting = { requests: 10_000, withBody: 512 } as const;

interface RequestQueue {
  busy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** Number of waiting requests with a body. */
  bodies: number;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Handles the requests of a connection one at a time: the next one starts once the previous response has been sent.
 * Pauses the connection while a request waits, so a caller that does not read its responses cannot send more requests.
 */
export function oneAtATime(handle: Handle): Handle {
  const queues = new WeakMap<Socket, RequestQueue>();
  /** Connections of which a request waits, and those of which one with a body does. The longest wait is first. */
  const waiting = { requests: new Set<Socket>(), withBody: new Set<Socket>() };
  let total = 0;

  const queueOf = (socket: Socket): RequestQueue => {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue: RequestQueue = { busy: false, waiting: [], bodies: 0 };
    queues.set(socket, queue);
    // Node resumes a connection after each body, even while another request waits.
    socket.on('resume', () => {
      if (queue.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => discard(socket, queue));
    return queue;
  };

  const push = (socket: Socket, queue: RequestQueue, next: [IncomingMessage, ServerResponse]): void => {
    queue.waiting.push(next);
    total += 1;
    waiting.requests.add(socket);
    if (hasBody(next[0])) {
      queue.bodies += 1;
      waiting.withBody.add(socket);
    }
    if (total > maxWaiting.requests) destroyFirst(waiting.requests);
    if (waiting.withBody.size > maxWaiting.withBody) destroyFirst(waiting.withBody);
  };

  /** Takes the next request. The requests behind it count as newly arrived. */
  const shift = (socket: Socket, queue: RequestQueue): [IncomingMessage, ServerResponse] | undefined => {
    const next = queue.waiting.shift();
    if (next === undefined) return undefined;
    total -= 1;
    if (hasBody(next[0])) queue.bodies -= 1;
    waiting.requests.delete(socket);
    waiting.withBody.delete(socket);
    if (queue.waiting.length > 0) waiting.requests.add(socket);
    if (queue.bodies > 0) waiting.withBody.add(socket);
    return next;
  };

  const discard = (socket: Socket, queue: RequestQueue): void => {
    total -= queue.waiting.splice(0).length;
    queue.bodies = 0;
    waiting.requests.delete(socket);
    waiting.withBody.delete(socket);
  };

  const destroyFirst = ([socket]: ReadonlySet<Socket>): void => {
    if (socket === undefined) return;
    discard(socket, queueOf(socket));
    socket.destroy();
  };

  const start = (queue: RequestQueue, request: IncomingMessage, response: ServerResponse): void => {
    queue.busy = true;
    const { socket } = request;
    response.once('close', () => {
      if (!socket.writable) {
        // The connection ends after this response, so requests behind it are discarded.
        discard(socket, queue);
        socket.resume();
        return;
      }
      const next = shift(socket, queue);
      queue.busy = next !== undefined;
      if (next === undefined) return;
      // The rest of its body may still be unread.
      if (queue.waiting.length === 0) socket.resume();
      // Other `close` listeners release the resources of the response first.
      queueMicrotask(() => start(queue, ...next));
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    const queue = queueOf(socket);
    if (!queue.busy) return start(queue, request, response);
    if (queue.waiting.length >= maxWaitingPerConnection) {
      socket.destroy();
      return;
    }
    push(socket, queue, [request, response]);
    socket.pause();
  };
}
