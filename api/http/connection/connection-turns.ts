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

interface Turns {
  busy: boolean;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Handles the requests of a connection one after the other: the next one starts when the response before it has been sent.
 * While one waits the connection is not read, so a caller that does not read its responses can send no further requests.
 */
export function inTurns(handle: Handle): Handle {
  const connections = new WeakMap<Socket, Turns>();
  let waiting = 0;

  const turnsOf = (socket: Socket): Turns => {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const turns: Turns = { busy: false, waiting: [] };
    connections.set(socket, turns);
    // Node resumes a connection for each body that ends, also while another request waits.
    socket.on('resume', () => {
      if (turns.waiting.length > 0) socket.pause();
    });
    socket.once('close', () => {
      waiting -= turns.waiting.splice(0).length;
    });
    return turns;
  };

  const start = (turns: Turns, request: IncomingMessage, response: ServerResponse): void => {
    turns.busy = true;
    const { socket } = request;
    response.once('close', () => {
      if (!socket.writable) {
        // The connection ends behind that response: what was sent behind its request is not carried out.
        waiting -= turns.waiting.splice(0).length;
        socket.resume();
        return;
      }
      const next = turns.waiting.shift();
      turns.busy = next !== undefined;
      if (next === undefined) return;
      waiting -= 1;
      // The rest of its body may not have been read yet.
      if (turns.waiting.length === 0) socket.resume();
      // Whoever else listens gives back first what the response held.
      queueMicrotask(() => start(turns, ...next));
    });
    handle(request, response);
  };

  return (request, response) => {
    const { socket } = request;
    const turns = turnsOf(socket);
    if (!turns.busy) return start(turns, request, response);
    if (turns.waiting.length >= maxWaitingOfConnection || waiting >= maxWaiting) {
      socket.destroy();
      return;
    }
    turns.waiting.push([request, response]);
    waiting += 1;
    socket.pause();
  };
}
