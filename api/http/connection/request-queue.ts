import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Handles a request. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Max waiting requests per connection and in total. The 64 KiB that Node reads before it can pause contain fewer requests
 * with credentials. A connection with more is destroyed.
 */
const maxWaitingPerConnection = 512;
const maxWaiting = 10_000;

interface RequestQueue {
  busy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Handles the requests of a connection one at a time: the next one starts once the previous response has been sent.
 * Pauses the connection while a request waits, so a caller that does not read its responses cannot send more requests.
 */
export function oneAtATime(handle: Handle): Handle {
  const connections = new WeakMap<Socket, RequestQueue>();
  let waiting = 0;

  const queueOf = (socket: Socket): RequestQueue => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const queue: RequestQueue = { busy: false, waiting: [] };
    connections.set(socket, queue);
    // Node resumes a connection after each body, even while another request waits.
    socket.on('resume', () => {
      if (queue.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      waiting -= queue.waiting.splice(0).length;
    });
    return queue;
  };

  const start = (queue: RequestQueue, request: IncomingMessage, response: ServerResponse): void => {
    queue.busy = true;
    const { socket } = request;
    response.once('close', () => {
      if (!socket.writable) {
        // The connection ends after this response, so requests behind it are discarded.
        waiting -= queue.waiting.splice(0).length;
        socket.resume();
        return;
      }
      const next = queue.waiting.shift();
      queue.busy = next !== undefined;
      if (next === undefined) return;
      waiting -= 1;
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
    if (queue.waiting.length >= maxWaitingPerConnection || waiting >= maxWaiting) {
      socket.destroy();
      return;
    }
    queue.waiting.push([request, response]);
    waiting += 1;
    socket.pause();
  };
}
