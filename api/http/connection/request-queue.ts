import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Takes a request with its response. */
export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Requests that may wait behind others, of one connection and of all. What Node has read before it can be stopped, up to
 * 64 KiB, holds no more requests with credentials than that; a connection with more is destroyed.
 */
const maxWaitingOfConnection = 512;
const maxWaiting = 10_000;

interface RequestQueue {
  busy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Handles the requests of a connection one after the other: the next one starts when the response before it has been sent.
 * While one waits the connection is not read, so a caller that does not read its responses can send no further requests.
 */
export function oneAtATime(handle: Handle): Handle {
  const connections = new WeakMap<Socket, RequestQueue>();
  let waiting = 0;

  const queueOf = (socket: Socket): RequestQueue => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const queue: RequestQueue = { busy: false, waiting: [] };
    connections.set(socket, queue);
    // Node resumes a connection for each body that ends, also while another request waits.
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
        // The connection ends behind that response: what was sent behind its request is not carried out.
        waiting -= queue.waiting.splice(0).length;
        socket.resume();
        return;
      }
      const next = queue.waiting.shift();
      queue.busy = next !== undefined;
      if (next === undefined) return;
      waiting -= 1;
      // The rest of its body may not have been read yet.
      if (queue.waiting.length === 0) socket.resume();
      // Whoever else listens gives back first what the response held.
      queueMicrotask(() => start(queue, ...next));
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    const queue = queueOf(socket);
    if (!queue.busy) return start(queue, request, response);
    if (queue.waiting.length >= maxWaitingOfConnection || waiting >= maxWaiting) {
      socket.destroy();
      return;
    }
    queue.waiting.push([request, response]);
    waiting += 1;
    socket.pause();
  };
}
