import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { alterPartitions } from './day-partitions.ts';

/**
 * Creates the partitions of this month and the next two, and drops those of months that the retention has passed. Both
 * functions are the database owner's: neither time nor retention is the worker's choice. Returns false when the table was locked.
 */
export async function maintainAuditPartitions(orm: Orm): Promise<boolean> {
  const created = await alterPartitions(orm, sql`select create_audit_partitions()`);
  return (await alterPartitions(orm, sql`select drop_expired_audit_partitions()`)) && created;
}
