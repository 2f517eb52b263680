import { idempotentRequest } from '../../../domain/idempotency/idempotency.ts';
import type { IdempotentState, Operation, RequestMiddleware } from './state.ts';

/** What idempotent requests are recognized with. */
export interface IdempotencySecret {
  /** Keys the hashes of idempotent requests; read at the first of them. */
  readonly idempotencySecret: () => Promise<Buffer>;
}

/** Identifies the request by its Idempotency-Key and the data as they were sent; the act replays what it returned before. */
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
