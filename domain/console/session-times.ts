import { sql } from 'kysely';
import { hourMs } from '../../platform/units.ts';

/** Limits of sessions, in milliseconds. */
export const sessionLimits = { idleMs: 2 * hourMs, absoluteMs: 12 * hourMs } as const;

export const idle = sql.raw(`interval '${String(sessionLimits.idleMs)} milliseconds'`);
export const absolute = sql.raw(`interval '${String(sessionLimits.absoluteMs)} milliseconds'`);

/** The times of a session. `expiresAt` is the absolute end. */
export interface SessionTimes {
  readonly createdAt: Date;
  /** Exact to the minute. */
  readonly lastUsedAt: Date;
  readonly expiresAt: Date;
}

/** Milliseconds since the epoch at which a session ends unless it is used before. */
export const idleExpiryOf = ({ lastUsedAt, expiresAt }: SessionTimes): number =>
  Math.min(lastUsedAt.getTime() + sessionLimits.idleMs, expiresAt.getTime());
