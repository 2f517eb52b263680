import { declaredBytes } from '../request/receive-body.ts';
import type { Operation, RequestMiddleware, SizedState } from './state.ts';

/** How long a body may take. */
export interface BodyTime {
  /** Longest time from the head of a request to the end of its body, in milliseconds. */
  readonly bodyWithinMs: number;
}

/** Refuses a body whose Content-Length is beyond the operation's limit, before a byte of it is read. */
export function declaredSize(
  { bodyWithinMs: withinMs }: BodyTime,
  { endpoint: { maxBodyMebibytes: limit = 1 } }: Operation,
): RequestMiddleware<SizedState> {
  return function declaredSize({ req, state }, next) {
    state.chunked = declaredBytes(req, limit) === undefined;
    state.reception = { limit, withinMs, deadline: performance.now() + withinMs };
    return next();
  };
}
