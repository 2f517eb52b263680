import type { IncomingMessage } from 'node:http';
import type { Next } from 'koa';
import { frameMessages } from '../messages.ts';
import { TransportError } from '../response/transport-error.ts';
import type { RequestContext } from './state.ts';

/** Node drops further headers without a word, an Idempotency-Key among them: one more is read and then refused. */
export const maxHeaders = 200;

/**
 * Refuses what Node would refuse itself, without the envelope: an HTTP/1.1 request without Host, or with an expectation
 * that is not met.
 */
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

/** Where such a head does not say how long its body is, or expects an answer to it, what follows may not be a request. */
function refused({ headers }: IncomingMessage, httpStatus: number, message: string): TransportError {
  const ends = headers['content-length'] === undefined || headers.expect !== undefined;
  return new TransportError('INVALID_ARGUMENT', message, {
    httpStatus,
    headers: ends ? { Connection: 'close' } : {},
  });
}
