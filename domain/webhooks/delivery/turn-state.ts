import type { Destination } from './resolve.ts';
import { initialScan, type ScanPosition } from './scan-position.ts';

/** State of a turn. Each poll returns a new one after its commit. Times are on the clock of `performance.now()`. */
export interface TurnState {
  /** As last read; undefined before the first poll, and when the endpoint does not exist. */
  readonly destination: Destination | undefined;
  /** When the rate limit allows the next message; undefined before the first poll. */
  readonly pace: number | undefined;
  /** The turn has claimed messages. */
  readonly hasClaimed: boolean;
  /** The turn has made a message due to probe whether an outage is over. */
  readonly hasProbed: boolean;
  /** After an outage, retries are left to make due. */
  readonly recovering: boolean;
  /** Until then, dispatchers do not wake the endpoint: this turn has promised to poll. */
  readonly promisedUntil: number;
  /** Scan of the index on due times; positions in seconds since the epoch. */
  readonly scan: ScanPosition<number>;
  /** Due messages may be older than `recentDays`: polls read all kept partitions. */
  readonly mayBeOlder: boolean;
  /** Milliseconds until the next poll if no request ends earlier. */
  readonly pollMs: number;
}

/** Milliseconds between polls: initial and max. */
const polls = { first: 20, max: 100 } as const;

export const initialTurnState: TurnState = {
  destination: undefined,
  pace: undefined,
  hasClaimed: false,
  hasProbed: false,
  recovering: false,
  promisedUntil: 0,
  scan: initialScan,
  mayBeOlder: true,
  pollMs: polls.first,
};

/** Returns the milliseconds until the next poll, after one that found `messages` messages. */
export const nextPollMs = ({ pollMs }: TurnState, messages: number): number =>
  messages > 0 ? polls.first : Math.min(pollMs * 1.5, polls.max);
