import type { LingerLimits } from './connection/close-gently.ts';

/** Time limits of a request's head and body, of its wait for room, of idle connections, and of Temporal. */
export interface RequestLimits {
  /** Max time to send the head. */
  readonly headWithinMs: number;
  /** Max time from the head to the end of the body. */
  readonly bodyWithinMs: number;
  /** Max time that a body waits for room in the body budget. */
  readonly roomWithinMs: number;
  /** Max time from a response to the next request of its connection. */
  readonly idleWithinMs: number;
  readonly linger: LingerLimits;
  /** Max wait for Temporal to start a workflow. Beyond it an AI call is UNAVAILABLE. */
  readonly temporalWithinMs: number;
}

export const defaultRequestLimits: RequestLimits = {
  headWithinMs: 20_000,
  bodyWithinMs: 30_000,
  roomWithinMs: 5_000,
  idleWithinMs: 65_000,
  linger: { maxBytes: 1_048_576, maxMs: 2_000 },
  temporalWithinMs: 1_500,
};
