import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { LogLevel } from '../../platform/logging/logger.ts';
import { invalidMember } from '../errors.ts';
import { tablesOf } from '../tables.ts';

/** The log level that an operator has set for every process. */
export interface SharedLevel {
  readonly level: LogLevel;
  /** Milliseconds since the epoch; null without an end. */
  readonly endsAt: number | null;
}

/** Selects the row of the level that is in force, if any. */
export const levelInForce = (em: EntityManager) =>
  tablesOf(em)
    .selectFrom('log_level')
    .where('log_level.id', '=', 1)
    .where(sql<boolean>`(ends_at is null or ends_at > now())`);

/** Returns the level in force, or undefined when each process has the level of its configuration. */
export async function readLogLevel(em: EntityManager): Promise<SharedLevel | undefined> {
  const found = await levelInForce(em).select(['level', 'ends_at']).executeTakeFirst();
  return found && { level: found.level, endsAt: found.ends_at?.getTime() ?? null };
}

/** Sets the level that processes apply at their next heartbeat; undefined restores the level of each configuration. */
export async function updateLogLevel(em: EntityManager, shared: SharedLevel | undefined): Promise<void> {
  if (shared === undefined) {
    await tablesOf(em).deleteFrom('log_level').where('id', '=', 1).execute();
    return;
  }
  const { level, endsAt } = shared;
  if (endsAt !== null && endsAt <= Date.now()) throw invalidMember('endsAt', 'endsAt must be in the future.');
  const values = { level, ends_at: endsAt === null ? null : new Date(endsAt) };
  await tablesOf(em)
    .insertInto('log_level')
    .values({ id: 1, ...values })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}
