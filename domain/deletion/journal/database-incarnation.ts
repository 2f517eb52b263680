import { sql } from 'kysely';
import { isForbidden } from '../../../platform/database/failures.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';

/**
 * SQL: the timeline. After a promotion, the control file names the former one until the next checkpoint. A standby does
 * not write a log.
 */
const timeline = sql<string>`case when pg_is_in_recovery() then (select timeline_id::text from pg_control_checkpoint())
  else ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint::text end`;

/**
 * Returns the identity of this database among its restored copies: the cluster, its timeline and the database. A dump
 * restored elsewhere and a point-in-time recovery change it; a copy of stopped files does not. Returns undefined where
 * the role may not call `pg_control_system`. Call it outside of a transaction.
 */
export async function databaseIncarnation(em: EntityManager): Promise<string | undefined> {
  const incarnation = sql<string>`(select system_identifier::text from pg_control_system())
    || '/' || ${timeline}
    || '/' || (select oid::text from pg_database where datname = current_database())`.as('incarnation');
  try {
    return (await tablesOf(em).selectNoFrom(incarnation).executeTakeFirstOrThrow()).incarnation;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
