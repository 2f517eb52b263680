import type { LingerLimits } from './connection/close-gently.ts';

/** Time limits for sending a request, and for the rest of it after its response. */
export interface RequestLimits {
  /** Max time to send the head. */
  readonly headWithinMs: number;
  /** Max time from the head to the end of the body. */
  readonly bodyWithinMs: number;
  /** Max time that a body waits for room in the body budget. */
  readonly roomWithinMs: number;
  readonly linger: LingerLimits;
}

export const defaultRequestLimits: RequestLimits = {
  headWithinMs: 20_000,
  bodyWithinMs: 30_000,
  roomWithinMs: 5_000,
  linger: { maxBytes: 1_048_576, maxMs: 2_000 },
};
