import type { Destination } from './resolve.ts';

/** What a turn knows. Each look at the database returns a new one, once it has committed. Times of the clock `performance.now()`. */
export interface TurnState {
  /** As last read; undefined before, and when there is no such endpoint any more. */
  readonly destination: Destination | undefined;
  /** When the rate limit lets the next message go; undefined until the endpoint was read. */
  readonly pace: number | undefined;
  /** The turn has claimed messages. */
  readonly hasClaimed: boolean;
  /** The turn has made a message due to see whether an outage is over. */
  readonly hasProbed: boolean;
  /** Messages up to this moment of the database were made due when an outage ended; undefined when none are left. */
  readonly recoveredUntil: string | undefined;
  /** Until then others leave it to this turn to see what they bring. */
  readonly promisedUntil: number;
  /** Milliseconds until the next look when nothing is under way. */
  readonly lookMs: number;
}

/** Milliseconds between two looks, at first and at most. */
const looks = { first: 20, max: 100 } as const;

export const nothingKnown: TurnState = {
  destination: undefined,
  pace: undefined,
  hasClaimed: false,
  hasProbed: false,
  recoveredUntil: undefined,
  promisedUntil: 0,
  lookMs: looks.first,
};

/** After a look that has found so many messages. */
export const nextLookMs = ({ lookMs }: TurnState, messages: number): number =>
  messages > 0 ? looks.first : Math.min(lookMs * 1.5, looks.max);
