import type { IncomingMessage } from 'node:http';
import type { Next } from 'koa';
import { httpMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import type { RequestContext } from './state.ts';

/** Node silently drops headers beyond its max, so it is configured to read one more, which is then rejected. */
export const maxHeaders = 200;

/**
 * Rejects requests that Node would reject without the envelope: HTTP/1.1 without Host or with an unknown expectation. A
 * target without a path, such as `http://`, is an unknown operation. No later middleware could read its path.
 */
export function requestHead(context: RequestContext, next: Next): Promise<unknown> {
  const { req } = context;
  const { headers, rawHeaders, httpVersion } = req;
  if (rawHeaders.length > maxHeaders * 2) throw refused(req, 431, httpMessages.headersTooMany(maxHeaders));
  if (httpVersion === '1.1') {
    if (headers.host === undefined) throw refused(req, 400, httpMessages.hostHeaderMissing);
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
      throw refused(req, 417, httpMessages.expectationNotMet);
  }
  if (!hasPath(context)) throw new TransportError('NOT_FOUND', httpMessages.unknownPath);
  return next();
}

/** Koa declares the path as a string. It is null for some targets, and parsing others throws. */
function hasPath(context: RequestContext): boolean {
  try {
    return typeof context.path === 'string';
  } catch {
    return false;
  }
}

/** Closes the connection when the head does not show where the next request starts: no length, or an expectation. */
function refused({ headers }: IncomingMessage, httpStatus: number, message: string): TransportError {
  const ends = headers['content-length'] === undefined || headers.expect !== undefined;
  return new TransportError('INVALID_ARGUMENT', message, {
    httpStatus,
    headers: ends ? { Connection: 'close' } : {},
  });
}
