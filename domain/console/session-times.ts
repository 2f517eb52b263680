import { sql } from 'kysely';

/** Limits of sessions, in milliseconds. */
export const sessionLimits = { idleMs: 2 * 3_600_000, absoluteMs: 12 * 3_600_000 } as const;

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
