import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import type Koa from 'koa';
import type { Logger } from '../../../platform/logging/logger.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { maxHeaders } from '../middleware/request-head.ts';
import { CompactRequest } from './compact-request.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { oneAtATime } from './request-queue.ts';
import { respondToNodeErrors, type Exchange } from './node-errors.ts';
import { closeGently, type LingerLimits } from './close-gently.ts';
import { destroyStalled } from './stalled-connections.ts';

/** A listening server. */
export interface Listening {
  readonly port: number;
  /** Makes each response whose head is not sent yet close its connection. New connections are still accepted. */
  closeAfterResponses(): void;
  /** Stops accepting connections, waits up to 66 s for running requests, then closes the remaining connections. */
  close(): Promise<void>;
}

/** Longer than any call takes: an AI call takes up to 64 s. */
const drainLimitMs = 66_000;

/** How often the drain closes connections without a request: a head that is on its way has this long to arrive. */
const closeIdleEveryMs = 1_000;

/** The time limit of bodies is lower than `requestTimeout`. */
const serverOptions = {
  requestTimeout: 60_000,
  maxHeaderSize: 16_384,
  // The application rejects a missing Host with the envelope.
  requireHostHeader: false,
} as const;

/** Address and limits of a server. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly connections: ConnectionLimit;
  readonly linger: LingerLimits;
  /** Max time from the first byte of a connection or further request to the end of the head. */
  readonly headWithinMs: number;
  /** Max time from a response to the next request of its connection. */
  readonly idleWithinMs: number;
  /** Whether responses lack memory, see `destroyStalled`. */
  readonly isShort: () => boolean;
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
}

/**
 * Serves connections and passes the requests of each one at a time to the application. Resolves once it listens; rejects
 * with the system's error if it cannot.
 */
export async function listen(application: Pick<Koa, 'callback'>, options: ListenOptions): Promise<Listening> {
  const { port, host, connections, linger, headWithinMs, idleWithinMs, logger, metrics } = options;
  const handle = application.callback();
  const enqueue = oneAtATime((request, response) => void handle(request, response));
  let closing = { connections: false, server: false };
  const server: HttpServer = createServer({
    ...serverOptions,
    IncomingMessage: CompactRequest,
    headersTimeout: headWithinMs,
    keepAliveTimeout: idleWithinMs,
    connectionsCheckingInterval: Math.ceil(headWithinMs / 4),
  });
  // A caller may close its half once it has sent a request, and still reads the response. Node has no option for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // One more than accepted, so that the application can detect too many.
  server.maxHeadersCount = maxHeaders + 1;
  const reportDropped = droppedReport({ logger, metrics });
  server.on('connection', (socket: Socket) => {
    surviveErrors(socket);
    closeGently(socket, linger);
    if (connections.accept(socket)) reportDropped();
  });
  server.on('timeout', closeUnlessSent);
  // A set of open responses would keep each response and its request in memory until the next full garbage collection: a
  // table that V8 replaces when it grows refers to the next one. That costs 7 % of the throughput of small writes.
  const exchanges = new WeakMap<Duplex, Exchange>();
  /** Ends each connection after the last response to the requests that it sent. */
  const closeAfterLast = (): void => {
    for (const socket of connections.open) {
      const response = exchanges.get(socket)?.response;
      if (response?.headersSent === false) response.setHeader('Connection', 'close');
    }
  };
  respondToNodeErrors(server, { lastOf: (socket) => exchanges.get(socket), logger, metrics });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    exchanges.set(socket, { request, response });
    if (closing.connections) response.setHeader('Connection', 'close');
    connections.busy(socket);
    response.once('close', () => {
      connections.release(socket, { requestWaits: exchanges.get(socket)?.response !== response });
      // An idle connection would delay the drain.
      if (closing.server) setImmediate(() => server.closeIdleConnections());
    });
    enqueue(request, response);
  };
  // The application responds to `Expect`: it rejects the request or sends `100 Continue`.
  server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
  const endWatch = destroyStalled(server, { isShort: options.isShort });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: ((server as Server).address() as AddressInfo).port,
    closeAfterResponses: () => {
      closing = { ...closing, connections: true };
      closeAfterLast();
    },
    close: async () => {
      closing = { connections: true, server: true };
      closeAfterLast();
      await drain(server, connections);
      endWatch();
    },
  };
}

/**
 * Keeps an error of the connection, for example a reset by its caller, from ending the process. Node listens for errors
 * itself, but removes its listener before it emits `connect`, so that any client could end the process. Nothing is left
 * to do here: Node's own listener handles the error where there is one, and the socket closes after each error.
 */
function surviveErrors(socket: Socket): void {
  socket.on('error', () => undefined);
}

/** Returns a function that counts a request whose connection was replaced, and logs once per second at most. */
function droppedReport({ logger, metrics }: Pick<ListenOptions, 'logger' | 'metrics'>): () => void {
  let quietUntil = 0;
  return () => {
    metrics.refused('connections');
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + 1_000;
    logger.warn('connections dropped');
  };
}

/**
 * Closes a connection that was idle too long. After a stall of the process, the timeout fires before Node has read the
 * bytes that arrived meanwhile. They are read first, so no request is cut off.
 */
function closeUnlessSent(socket: Socket): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) socket.destroy();
  });
}

/**
 * Closes idle connections at once, and soon those without a complete request head. Node counts a connection that has sent
 * nothing or part of a head as active and no longer limits its time, so that it would delay the end by the whole limit.
 */
async function drain(server: HttpServer, connections: ConnectionLimit): Promise<void> {
  const closeIdle = setInterval(() => connections.closeIdle(), closeIdleEveryMs);
  const force = setTimeout(() => server.closeAllConnections(), drainLimitMs);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
  clearInterval(closeIdle);
  clearTimeout(force);
}
