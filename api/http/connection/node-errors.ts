import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { randomToken } from '../../../platform/encryption/tokens.ts';
import type { Logger } from '../../../platform/logging/logger.ts';
import { canonicalAddress } from '../caller/address.ts';
import { httpMessages } from '../messages.ts';
import type { RequestMetrics } from '../request-metrics.ts';
import { problemOf, problemBody } from '../response/problem.ts';
import { TransportError } from '../response/transport-error.ts';
import { failBody } from '../request/receive-body.ts';

/** Log and metrics for requests that never reach the application. */
export interface Reporting {
  readonly logger: Logger;
  readonly metrics: RequestMetrics;
}

/** The last request of a connection and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Responds to errors that Node detects with the envelope, a request id and an access log line. Such errors are invalid
 * HTTP, heads that are too large or too slow, and CONNECT. Waits for the current response of the connection, which Node
 * would not.
 */
export function respondToNodeErrors(
  server: Server,
  { lastOf, ...reporting }: Reporting & { readonly lastOf: (socket: Duplex) => Exchange | undefined },
): void {
  const failed = new WeakSet<Duplex>();
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser repeats its error for all later bytes.
    if (failed.has(socket)) return;
    failed.add(socket);
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const last = lastOf(socket);
    const refusal = refusalOf(error, last !== undefined && !last.request.complete);
    if (last === undefined || last.request.complete) refuseWhenFree(socket, last, refusal, reporting);
    // The body was refused already, and its caller has the response.
    else if (isOver(last)) (socket as Socket).destroySoon();
    // The body of the current request is broken, so the refusal is its response.
    else failBody(last.request, refusal);
  });
  server.on('connect', (_request, socket) => {
    const headers = { Allow: 'POST' };
    const refusal = new TransportError('UNIMPLEMENTED', httpMessages.usePost, { headers });
    refuseWhenFree(socket, lastOf(socket), refusal, reporting);
  });
}

const isOver = ({ response }: Exchange): boolean => response.writableFinished || response.closed;

function refuseWhenFree(
  socket: Duplex,
  last: Exchange | undefined,
  refusal: TransportError,
  reporting: Reporting,
): void {
  if (last === undefined || isOver(last)) {
    refuse(socket, refusal, reporting);
    return;
  }
  socket.pause();
  last.response.once('close', () => refuse(socket, refusal, reporting));
}

function refusalOf({ code }: NodeJS.ErrnoException, inBody: boolean): TransportError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new TransportError('INVALID_ARGUMENT', httpMessages.headersTooLarge, { httpStatus: 431 });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new TransportError('INVALID_ARGUMENT', httpMessages.chunkExtensionsTooLarge, {
        httpStatus: 413,
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new TransportError('DEADLINE_EXCEEDED', httpMessages.requestTooSlow, { httpStatus: 408 });
    case 'HPE_INVALID_EOF_STATE':
      return inBody
        ? new TransportError('CANCELLED', httpMessages.bodyCutShort, { httpStatus: 400 })
        : new TransportError('INVALID_ARGUMENT', httpMessages.requestNotHttp);
    default:
      return new TransportError('INVALID_ARGUMENT', httpMessages.requestNotHttp);
  }
}

/** Writes a failure to a connection without a current response, and closes it. */
function refuse(socket: Duplex, refusal: TransportError, { logger, metrics }: Reporting): void {
  if (!socket.writable) return;
  // The head was not read, so behind a proxy this is the proxy.
  const address = canonicalAddress((socket as Socket).remoteAddress ?? '') ?? '';
  const requestId = randomToken('req');
  const problem = problemOf(refusal);
  const body = problemBody(problem, requestId);
  const headers = {
    ...problem.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'X-Request-Id': requestId,
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  const status = `${String(problem.httpStatus)} ${STATUS_CODES[problem.httpStatus] ?? ''}`;
  socket.write(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n${body}`);
  (socket as Socket).destroySoon();
  metrics.record('unknown', problem.httpStatus, undefined, problem.refusal);
  logger.info(
    { requestId, operation: 'unknown', status: problem.httpStatus, address, failure: problem.status },
    'request',
  );
}
