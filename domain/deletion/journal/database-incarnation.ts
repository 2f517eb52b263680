import { sql } from 'kysely';
import { isForbidden } from '../../../platform/database/failures.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';

/**
 * Returns the identity of this database among its restored copies: the cluster, its timeline and the database. A dump
 * restored elsewhere and a point-in-time recovery change it; a copy of stopped files does not. Returns undefined where
 * the role may not call `pg_control_system`. Call it outside of a transaction.
 */
export async function databaseIncarnation(em: EntityManager): Promise<string | undefined> {
  const incarnation = sql<string>`(select system_identifier::text from pg_control_system())
    || '/' || (select timeline_id::text from pg_control_checkpoint())
    || '/' || (select oid::text from pg_database where datname = current_database())`.as('incarnation');
  try {
    return (await tablesOf(em).selectNoFrom(incarnation).executeTakeFirstOrThrow()).incarnation;
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}
