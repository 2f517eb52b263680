import type { IncomingHttpHeaders } from 'node:http';
import { activeTraceparent } from '../../../platform/tracing/tracing.ts';
import type { Endpoint } from '../endpoint.ts';
import { httpMessages } from '../messages.ts';
import { ignoredMembers } from '../request/ignored-members.ts';
import { validate, type Validated } from '../request/validate.ts';
import { TransportError } from '../response/transport-error.ts';
import {
  sentOf,
  type Operation,
  type ReceivedState,
  type RequestMiddleware,
  type ValidatedState,
} from './state.ts';

const idempotencyKeyForm = /^[!-~]{1,255}$/;

/** Rejects a malformed Idempotency-Key or data of a wrong shape. On `/v1` it ignores unknown members and lists them in a header. */
export function validation({ endpoint, path }: Operation): RequestMiddleware<ValidatedState> {
  const version = path.startsWith('/v1/') ? 1 : 2;
  return async function validation(context, next) {
    const { headers, state } = context;
    state.idempotencyKey = endpoint.mutates ? idempotencyKeyOf(headers) : undefined;
    const { data, ignored } = await validated(endpoint, state, version);
    if (ignored.length > 0) context.set('X-Ignored-Members', ignoredMembers(ignored));
    const { authenticated, requestId } = state;
    const traceparent = activeTraceparent();
    state.call = { ...authenticated.caller, data, path, version, requestId, traceparent };
    await next();
  };
}

/** A function of its own: the frame of the middleware lives until the response, and would keep the parsed data alive. */
async function validated(
  { data: schema }: Endpoint,
  { sent }: ReceivedState,
  version: 1 | 2,
): Promise<Validated<unknown>> {
  const { data, ...shape } = sentOf(sent);
  return validate(schema, data, { passOverUnknown: version === 1, ...shape });
}

function invalidKey(): TransportError {
  const message = httpMessages.idempotencyKeyNotValid;
  return new TransportError('INVALID_ARGUMENT', message, { issues: [{ path: 'Idempotency-Key', message }] });
}

function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKeyForm.test(key)) throw invalidKey();
  return key;
}
