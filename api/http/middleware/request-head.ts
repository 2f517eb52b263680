import type { Next } from 'koa';
import { messages } from '../../../domain/messages.ts';
import { TransportError } from '../problem.ts';
import type { RequestContext } from './state.ts';

/** Node drops further headers without a word, an Idempotency-Key among them: one more is read and then refused. */
export const maxHeaders = 200;

/**
 * Refuses what Node would refuse itself, without the envelope: an HTTP/1.1 request without Host, or with an expectation
 * that is not met.
 */
export async function requestHead({ req }: RequestContext, next: Next): Promise<void> {
  const { headers, rawHeaders, httpVersion } = req;
  if (rawHeaders.length > maxHeaders * 2) {
    throw new TransportError('INVALID_ARGUMENT', messages.headersTooMany(maxHeaders), { httpStatus: 431 });
  }
  if (httpVersion === '1.1') {
    if (headers.host === undefined) throw new TransportError('INVALID_ARGUMENT', messages.hostHeaderMissing);
    if (headers.expect !== undefined && !/^100-continue$/i.test(headers.expect)) {
      throw new TransportError('INVALID_ARGUMENT', messages.expectationNotMet, { httpStatus: 417 });
    }
  }
  await next();
}
