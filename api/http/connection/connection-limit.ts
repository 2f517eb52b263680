import type { Socket } from 'node:net';
import { HeldAmounts } from '../../../platform/process/held-amounts.ts';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';

/**
 * Limits open connections to `max`. At the limit a new connection replaces the one that has been unused longest. Only the
 * connections of running calls of authenticated callers are never replaced. One owner's calls hold at most three quarters
 * of the connections, and all calls leave a sixteenth free. So each new connection is accepted, whatever others send.
 */
export class ConnectionLimit {
  readonly #max: number;
  readonly #maxHeld: number;
  readonly #maxPerOwner: number;
  readonly #open = new Set<Socket>();
  /** Connections without a request or with a part of its head, by time of the last response, longest idle first. */
  readonly #idle = new Map<Socket, number>();
  /** Connections with a request whose caller is not authenticated, by time of its head, oldest first. */
  readonly #unproven = new Map<Socket, number>();
  /** The owners of the calls that hold the other connections. */
  readonly #holders = new Map<Socket, string>();
  /** Number of connections that the calls of an owner hold. */
  readonly #held = new HeldAmounts();

  constructor(max: number) {
    this.#max = max;
    this.#maxHeld = max - Math.ceil(max / 16);
    this.#maxPerOwner = Math.floor((max * 3) / 4);
  }

  /** The accepted connections. */
  get open(): ReadonlySet<Socket> {
    return this.#open;
  }

  /** Whether more than three quarters of the connections are open: callers that are not authenticated have less time. */
  readonly isShort = (): boolean => this.#open.size > this.#maxPerOwner;

  /** Accepts a connection, at the limit in place of another one. Returns whether that one had a request. */
  accept(socket: Socket): boolean {
    const replaced = this.#open.size < this.#max ? undefined : this.#longestUnused();
    const hadRequest = replaced !== undefined && this.#unproven.has(replaced);
    if (replaced !== undefined) this.#forget(replaced);
    replaced?.destroy();
    this.#open.add(socket);
    this.#idle.set(socket, performance.now());
    socket.once('close', () => this.#forget(socket));
    return hadRequest;
  }

  /** Marks a connection as serving a request. */
  busy(socket: Socket): void {
    if (this.#idle.delete(socket)) this.#unproven.set(socket, performance.now());
  }

  /** Keeps a connection for the call of an authenticated caller. Throws UNAVAILABLE beyond the owner's share. */
  hold(socket: Socket, owner: string): void {
    // The caller has closed it, or it was replaced.
    if (!this.#unproven.has(socket)) return;
    if (this.#held.of(owner) >= this.#maxPerOwner || this.#held.all >= this.#maxHeld) throw connectionsFull();
    this.#unproven.delete(socket);
    this.#holders.set(socket, owner);
    this.#held.change(owner, 1);
  }

  /** A response has ended. The next request, if one waits, needs credentials of its own. */
  release(socket: Socket, { requestWaits }: { readonly requestWaits: boolean }): void {
    if (!this.#open.has(socket)) return;
    this.#leave(socket);
    (requestWaits ? this.#unproven : this.#idle).set(socket, performance.now());
  }

  /** Destroys the connections without a request, except those whose last response ends now: see `closeGently`. */
  closeIdle(): void {
    for (const socket of this.#idle.keys()) if (!socket.writableEnded) socket.destroy();
  }

  #longestUnused(): Socket | undefined {
    const [idle] = this.#idle;
    const [unproven] = this.#unproven;
    if (idle === undefined || unproven === undefined) return (idle ?? unproven)?.[0];
    return idle[1] <= unproven[1] ? idle[0] : unproven[0];
  }

  #forget(socket: Socket): void {
    this.#leave(socket);
    this.#open.delete(socket);
  }

  #leave(socket: Socket): void {
    this.#idle.delete(socket);
    this.#unproven.delete(socket);
    const owner = this.#holders.get(socket);
    if (owner === undefined) return;
    this.#holders.delete(socket);
    this.#held.change(owner, -1);
  }
}

/** Ends the connection, so that its caller makes room for others. */
function connectionsFull(): TransportError {
  return new TransportError('UNAVAILABLE', httpMessages.connectionsFull, {
    headers: { 'Retry-After': '5', Connection: 'close' },
    refusal: 'connections',
  });
}
