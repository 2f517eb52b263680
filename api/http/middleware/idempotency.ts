import { idempotentRequest, type IdempotentRequest } from '../../../domain/idempotency/idempotent-request.ts';
import {
  sentOf,
  type IdempotentState,
  type Operation,
  type RequestMiddleware,
  type ValidatedState,
} from './state.ts';

/** Dependencies of the idempotency middleware. */
export interface IdempotencySecret {
  /** HMAC key of request hashes, loaded at the first use. */
  readonly idempotencySecret: () => Promise<Buffer>;
}

/**
 * Identifies the request by its Idempotency-Key and its data as sent. The `act` middleware replays an earlier response.
 * Releases the data as sent: a call that waits for PostgreSQL holds only the validated data.
 */
export function idempotency(
  { idempotencySecret }: IdempotencySecret,
  { path }: Operation,
): RequestMiddleware<IdempotentState> {
  return async function idempotency({ state }, next) {
    state.idempotent = await identified(state);
    state.sent = undefined;
    await next();
  };

  async function identified(state: ValidatedState): Promise<IdempotentRequest | undefined> {
    const { idempotencyKey: key, authenticated, sent } = state;
    if (key === undefined) return undefined;
    const request = { path, key, data: sentOf(sent).data };
    return idempotentRequest(await idempotencySecret(), authenticated.scope, request);
  }
}
