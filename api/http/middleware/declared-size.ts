import { declaredBytes } from '../request/receive-body.ts';
import type { Operation, RequestMiddleware, SizedState } from './state.ts';

/** Time limit of a request body. */
export interface BodyTime {
  /** Max time from the head of a request to the end of its body. */
  readonly bodyWithinMs: number;
}

/** Rejects a body by its Content-Length, before reading any of it, when it exceeds the operation's limit. */
export function declaredSize(
  { bodyWithinMs: withinMs }: BodyTime,
  { endpoint: { maxBodyMebibytes = 1 } }: Operation,
): RequestMiddleware<SizedState> {
  return function declaredSize({ req, state }, next) {
    state.chunked = declaredBytes(req, maxBodyMebibytes) === undefined;
    state.reception = { maxMebibytes: maxBodyMebibytes, withinMs, deadline: performance.now() + withinMs };
    return next();
  };
}
