import type { IncomingMessage } from 'node:http';
import { messages } from '../../domain/messages.ts';
import { TransportError } from './problem.ts';

/** Node drops further headers without a word, an Idempotency-Key among them: one more is read and then refused. */
export const maxHeaders = 200;

/** What Node would refuse itself, without the envelope: an HTTP/1.1 request without Host, or with an expectation that is not met. */
export function checkHead({ headers, rawHeaders, httpVersion }: IncomingMessage): void {
  if (rawHeaders.length > maxHeaders * 2) {
    throw new TransportError('INVALID_ARGUMENT', messages.headersTooMany(maxHeaders), { httpStatus: 431 });
  }
  if (httpVersion !== '1.1') return;
  if (headers.host === undefined) throw new TransportError('INVALID_ARGUMENT', messages.hostHeaderMissing);
  if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
    throw new TransportError('INVALID_ARGUMENT', messages.expectationNotMet, { httpStatus: 417 });
  }
}
