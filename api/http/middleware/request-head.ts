import type { IncomingMessage } from 'node:http';
import type { Next } from 'koa';
import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import type { RequestContext } from './state.ts';

/** Node silently drops headers beyond its max, so it is configured to read one more, which is then rejected. */
export const maxHeaders = 200;

/** Rejects requests that Node would reject without the envelope: HTTP/1.1 without Host or with an unknown expectation. */
export function requestHead({ req }: RequestContext, next: Next): Promise<unknown> {
  const { headers, rawHeaders, httpVersion } = req;
  if (rawHeaders.length > maxHeaders * 2) throw refused(req, 431, frameMessages.headersTooMany(maxHeaders));
  if (httpVersion === '1.1') {
    if (headers.host === undefined) throw refused(req, 400, frameMessages.hostHeaderMissing);
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect))
      throw refused(req, 417, frameMessages.expectationNotMet);
  }
  return next();
}

/** Closes the connection when the head does not show where the next request starts: no length, or an expectation. */
function refused({ headers }: IncomingMessage, httpStatus: number, message: string): TransportError {
  const ends = headers['content-length'] === undefined || headers.expect !== undefined;
  return new TransportError('INVALID_ARGUMENT', message, {
    httpStatus,
    headers: ends ? { Connection: 'close' } : {},
  });
}
