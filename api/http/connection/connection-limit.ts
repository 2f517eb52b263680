import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import { refuse, type Reporting } from './node-errors.ts';

/** Max connections beyond the limit that get a 503 at the same time. Node drops further ones without a response. */
const maxConcurrentRefusals = 100;

/**
 * Limits open connections to `max`. At the limit a new connection replaces the one that has been idle longest, so idle
 * connections do not block new callers. When all are busy, the new connection is refused with UNAVAILABLE.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #open = new Set<Socket>();
  /** Connections without a request or with a part of its head, longest idle first. */
  readonly #idle = new Set<Socket>();

  constructor(server: Server, max: number, reporting: Reporting) {
    this.#max = max;
    server.maxConnections = max + maxConcurrentRefusals;
    let quietUntil = 0;
    server.on('drop', () => {
      reporting.metrics.refused('connections');
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + 1_000;
      reporting.logger.warn({ maxConnections: max }, 'connections dropped');
    });
    server.on('connection', (socket: Socket) => {
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#idle.delete(socket);
      });
      if (this.#open.size >= this.#max && !this.#closeLongestIdle()) {
        refuse(socket, connectionsFull(), reporting);
        return;
      }
      this.#open.add(socket);
      this.#idle.add(socket);
    });
  }

  /** The accepted connections. */
  get open(): ReadonlySet<Socket> {
    return this.#open;
  }

  /** Marks a connection as serving a request. */
  busy(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Marks a connection as idle. */
  idle(socket: Socket): void {
    if (this.#open.has(socket)) this.#idle.add(socket);
  }

  /** Destroys the connections without a request, except those whose last response ends now: see `closeGently`. */
  closeIdle(): void {
    for (const socket of this.#idle) if (!socket.writableEnded) socket.destroy();
  }

  #closeLongestIdle(): boolean {
    const [socket] = this.#idle;
    if (socket === undefined) return false;
    this.#open.delete(socket);
    this.#idle.delete(socket);
    socket.destroy();
    return true;
  }
}

function connectionsFull(): TransportError {
  return new TransportError('UNAVAILABLE', frameMessages.connectionsFull, {
    headers: { 'Retry-After': '5' },
    refusal: 'connections',
  });
}
