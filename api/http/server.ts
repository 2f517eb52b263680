import type { AddressInfo, Server, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  createServer,
  type IncomingMessage,
  type Server as HttpServer,
  type ServerResponse,
} from 'node:http';
import Koa, { type Context } from 'koa';
import { messages } from '../../domain/messages.ts';
import { randomToken } from '../../platform/encryption/tokens.ts';
import type { Logger } from '../../platform/logging/logger.ts';
import { checkHead, maxHeaders } from './check-head.ts';
import { ConnectionLimit } from './connection-limit.ts';
import type { Endpoint } from './endpoint.ts';
import { inTurns } from './connection-turns.ts';
import { answerNodeErrors, type Exchange } from './node-errors.ts';
import { problemBody } from './problem-body.ts';
import { problemOf, TransportError } from './problem.ts';
import { closeGently, leaveBodyUnread, type LingerLimits } from './refuse-early.ts';
import { destroyStalled } from './stalled-connections.ts';
import { answerEndpoint, type Gateway } from './answer-endpoint.ts';

/** GET pages beside the operations: health, reference. */
export interface Page {
  readonly path: string;
  answer(context: Context): Promise<void> | void;
}

export interface ServerOptions {
  readonly gateway: Gateway;
  readonly endpoints: readonly Endpoint[];
  readonly pages: readonly Page[];
  readonly logger: Logger;
  readonly linger: LingerLimits;
}

const callersRequestId = /^[!-~]{1,128}$/;

/** The Koa application: request id, one log line a request, every failure in the envelope, then the operations. */
export function createApplication({ gateway, endpoints, pages, logger, linger }: ServerOptions): Koa {
  const application = new Koa();
  // Its lines have known members, none of them a secret: looking for some in each would cost more than the line.
  const accessLog = logger.child({}, { redact: [] });
  // Koa writes to the console what reaches it; nothing does but a response that broke after its head.
  application.on('error', (error: Error) => logger.debug({ reason: error.message }, 'response broke'));
  application.use(async (context, next) => {
    const started = performance.now();
    const sent = context.get('x-request-id');
    const requestId = callersRequestId.test(sent) ? sent : randomToken('req');
    context.state['requestId'] = requestId;
    context.set('X-Request-Id', requestId);
    try {
      checkHead(context.req);
      await next();
    } catch (error) {
      answerProblem(context, error, logger);
    }
    leaveBodyUnread(context.req, context.res, linger);
    logAccess(context, accessLog, started);
  });
  const routes = routesOf(gateway, endpoints, pages);
  application.use(async (context) => {
    const answer = routes.get(context.path);
    if (answer === undefined) throw new TransportError('NOT_FOUND', messages.unknownPath);
    context.state['operation'] = context.path;
    await answer(context);
  });
  return application;
}

/** By path: all of them are constant, so one look-up finds an operation however many there are. */
function routesOf(
  gateway: Gateway,
  endpoints: readonly Endpoint[],
  pages: readonly Page[],
): ReadonlyMap<string, (context: Context) => Promise<void> | void> {
  const routes = new Map<string, (context: Context) => Promise<void> | void>();
  for (const endpoint of endpoints) {
    for (const path of endpoint.paths) {
      routes.set(path, (context) => {
        if (context.method !== 'POST') throw methodNotAllowed('POST');
        return answerEndpoint(gateway, endpoint, path, context);
      });
    }
  }
  for (const page of pages) {
    routes.set(page.path, (context) => {
      if (context.method !== 'GET' && context.method !== 'HEAD')
        throw methodNotAllowed('GET, HEAD', 'Use GET.');
      return page.answer(context);
    });
  }
  return routes;
}

function methodNotAllowed(allow: string, message: string = messages.usePost): TransportError {
  return new TransportError('UNIMPLEMENTED', message, { httpStatus: 405, headers: { Allow: allow } });
}

/** After the head of an answer has left, only a broken connection can still say that it is not whole. */
function answerProblem(context: Context, error: unknown, logger: Logger): void {
  const requestId = String(context.state['requestId']);
  const problem = problemOf(error);
  if (problem.bug) logger.error({ requestId, operation: context.state['operation'], err: error }, 'a bug');
  context.state['failure'] = problem.status;
  context.status = problem.httpStatus;
  if (context.headerSent || !context.writable) {
    context.res.destroy();
    return;
  }
  context.set(problem.headers);
  context.type = 'application/json; charset=utf-8';
  context.body = problemBody(problem, requestId);
}

function logAccess(context: Context, logger: Logger, started: number): void {
  if (!logger.isLevelEnabled('info')) return;
  const { requestId, operation, keyId, failure, replayed } = context.state as Record<string, unknown>;
  logger.info(
    {
      requestId,
      method: context.method,
      operation: operation ?? 'unknown',
      status: context.status,
      durationMs: Math.round((performance.now() - started) * 10) / 10,
      ...(keyId !== undefined && { keyId }),
      ...(failure !== undefined && { failure }),
      ...(replayed === true && { replayed }),
    },
    'request',
  );
}

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

/** Resolves once the port is taken; rejects with the system's error when it cannot be. */
export async function listen(application: Koa, options: ListenOptions): Promise<Listening> {
  const { port, host, maxConnections, linger, headWithinMs, stallLimitMs, logger } = options;
  const handle = application.callback();
  const inTurn = inTurns((request, response) => void handle(request, response));
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
  answerNodeErrors(server, { lastOf: (socket) => exchanges.get(socket), logger });
  const take = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    exchanges.set(socket, { request, response });
    connections.busy(socket);
    response.once('close', () => {
      if (exchanges.get(socket)?.response === response) connections.idle(socket);
      // Its caller would keep the connection, and a drain wait for it.
      if (draining) setImmediate(() => server.closeIdleConnections());
    });
    inTurn(request, response);
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
