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
import { ConnectionLimit } from './connection-limit.ts';
import { oneAtATime } from './request-queue.ts';
import { maxHeaders } from '../middleware/request-head.ts';
import { respondToNodeErrors, type Exchange } from './node-errors.ts';
import { closeGently, type LingerLimits } from './close-gently.ts';
import { destroyStalled } from './stalled-connections.ts';

/** A server that takes connections. */
export interface Listening {
  readonly port: number;
  /** Stops taking connections, lets requests under way finish, then closes what is left. */
  close(): Promise<void>;
}

const drainLimit = 20_000;

/** Bodies have a limit of their own, below `requestTimeout`. */
const serverOptions = {
  requestTimeout: 60_000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16_384,
  // Refused by the application, in the envelope.
  requireHostHeader: false,
} as const;

/** Where to listen, and what connections are bounded by. */
export interface ListenOptions {
  readonly port: number;
  readonly host: string;
  readonly maxConnections: number;
  readonly linger: LingerLimits;
  /** From the first byte of a connection, or of a further request, to the end of the head. */
  readonly headWithinMs: number;
  /** In which a connection must take a byte of what waits for it; 30 s by default. */
  readonly stallLimitMs?: number;
  readonly logger: Logger;
}

/**
 * Serves connections, and hands the requests of each one after the other to the application. Resolves once the port is
 * taken; rejects with the system's error when it cannot be.
 */
export async function listen(application: Pick<Koa, 'callback'>, options: ListenOptions): Promise<Listening> {
  const { port, host, maxConnections, linger, headWithinMs, stallLimitMs, logger } = options;
  const handle = application.callback();
  const enqueue = oneAtATime((request, response) => void handle(request, response));
  let draining = false;
  const server: HttpServer = createServer({
    ...serverOptions,
    headersTimeout: headWithinMs,
    connectionsCheckingInterval: Math.ceil(headWithinMs / 4),
  });
  // One more than is accepted tells that there are too many.
  server.maxHeadersCount = maxHeaders + 1;
  server.on('connection', (socket: Socket) => closeGently(socket, linger));
  const connections = new ConnectionLimit(server, maxConnections, logger);
  const exchanges = new WeakMap<Duplex, Exchange>();
  respondToNodeErrors(server, { lastOf: (socket) => exchanges.get(socket), logger });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    exchanges.set(socket, { request, response });
    connections.busy(socket);
    response.once('close', () => {
      if (exchanges.get(socket)?.response === response) connections.idle(socket);
      // Its caller would keep the connection, and a drain wait for it.
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    enqueue(request, response);
  };
  // With `Expect`, Node asks what to do: the application refuses, or asks for the body.
  server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
  const endWatch = destroyStalled(server, stallLimitMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: ((server as Server).address() as AddressInfo).port,
    close: async () => {
      draining = true;
      await drain(server);
      endWatch();
    },
  };
}

async function drain(server: HttpServer): Promise<void> {
  await new Promise<void>((resolve) => {
    const force = setTimeout(() => server.closeAllConnections(), drainLimit);
    server.close(() => {
      clearTimeout(force);
      resolve();
    });
    server.closeIdleConnections();
  });
}
