import { idempotentRequest } from '../../../domain/idempotency/idempotency.ts';
import type { IdempotentState, Operation, RequestMiddleware } from './state.ts';

/** Dependencies of the idempotency middleware. */
export interface IdempotencySecret {
  /** HMAC key of request hashes, loaded at the first use. */
  readonly idempotencySecret: () => Promise<Buffer>;
}

/** Identifies the request by its Idempotency-Key and its data as sent. The `act` middleware replays an earlier response. */
export function idempotency(
  { idempotencySecret }: IdempotencySecret,
  { path }: Operation,
): RequestMiddleware<IdempotentState> {
  return async function idempotency({ state }, next) {
    const { idempotencyKey: key, authenticated, sent } = state;
    if (key !== undefined) {
      const request = { path, key, data: sent.data };
      state.idempotent = await idempotentRequest(await idempotencySecret(), authenticated.scope, request);
    }
    await next();
  };
}
