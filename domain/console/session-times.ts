import { sql } from 'kysely';
import { hourMs } from '../../platform/units.ts';

/** Limits of sessions, in milliseconds. */
export const sessionTimesMs = { idle: 2 * hourMs, absolute: 12 * hourMs } as const;

export const idle = sql.raw(`interval '${String(sessionTimesMs.idle)} milliseconds'`);
export const absolute = sql.raw(`interval '${String(sessionTimesMs.absolute)} milliseconds'`);

/** The times of a session. `expiresAt` is the absolute end. */
export interface SessionTimes {
  readonly createdAt: Date;
  /** Exact to the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Milliseconds since the epoch at which a session ends unless it is used before. */
export const idleExpiryOf = ({ lastUsedAt, expiresAt }: SessionTimes): number =>
  Math.min(lastUsedAt.getTime() + sessionTimesMs.idle, expiresAt.getTime());
