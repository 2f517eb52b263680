import type { IncomingHttpHeaders } from 'node:http';
import { invalidMember } from '../../../domain/errors.ts';
import { activeTraceparent } from '../../../platform/tracing/tracing.ts';
import type { Call, Credentials } from '../endpoint.ts';
import { ignoredMembers } from '../request/ignored-members.ts';
import { validate } from '../request/validate.ts';
import type { Operation, RequestMiddleware, ValidatedState } from './state.ts';

const idempotencyKeyForm = /^[!-~]{1,255}$/;

/** Rejects a malformed Idempotency-Key or data of a wrong shape. On `/v1` it ignores unknown members and lists them in a header. */
export function validation({ endpoint, path }: Operation): RequestMiddleware<ValidatedState> {
  const version = path.startsWith('/v1/') ? 1 : 2;
  return async function validation(context, next) {
    const { headers, state } = context;
    state.idempotencyKey = endpoint.mutates ? idempotencyKeyOf(headers) : undefined;
    const { data: sent, ...shape } = state.sent;
    const { data, ignored } = await validate(endpoint.data, sent, {
      passOverUnknown: version === 1,
      ...shape,
    });
    if (ignored.length > 0) context.set('X-Ignored-Members', ignoredMembers(ignored));
    const { authenticated, requestId } = state;
    const traceparent = activeTraceparent();
    const call = { ...authenticated.caller, data, path, version, requestId, traceparent };
    state.call = call as Call<Credentials, unknown>;
    await next();
  };
}

function idempotencyKeyOf(headers: IncomingHttpHeaders): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !idempotencyKeyForm.test(key))
    throw invalidMember('', 'Idempotency-Key must be 1 to 255 visible ASCII characters.');
  return key;
}
