import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '../../../platform/logging/logger.ts';
import { frameMessages } from '../messages.ts';
import { refuse } from './node-errors.ts';
import { TransportError } from '../response/transport-error.ts';

/** Connections beyond the limit that may be told so at one moment; further ones are closed without a response. */
const maxConcurrentRefusals = 100;

/**
 * Keeps at most `max` connections. At the limit a new one takes the place of the one that has been without a request for
 * longest, so idle connections lock nobody out; where each has a request under way, the new one is refused with
 * UNAVAILABLE.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #open = new Set<Socket>();
  /** Without a request under way, the longest so first. */
  readonly #idle = new Set<Socket>();

  constructor(server: Server, max: number, logger: Logger) {
    this.#max = max;
    server.maxConnections = max + maxConcurrentRefusals;
    let quietUntil = 0;
    server.on('drop', () => {
      if (performance.now() < quietUntil) return;
      quietUntil = performance.now() + 1_000;
      logger.warn({ maxConnections: max }, 'connections dropped');
    });
    server.on('connection', (socket: Socket) => {
      socket.once('close', () => {
        this.#open.delete(socket);
        this.#idle.delete(socket);
      });
      if (this.#open.size >= this.#max && !this.#closeLongestIdle()) {
        refuse(socket, connectionsFull(), logger);
        return;
      }
      this.#open.add(socket);
      this.#idle.add(socket);
    });
  }

  /** A request has begun on the connection. */
  busy(socket: Socket): void {
    this.#idle.delete(socket);
  }

  /** Its response has been written. */
  idle(socket: Socket): void {
    if (this.#open.has(socket)) this.#idle.add(socket);
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
  });
}
