import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { alterPartitions } from './day-partitions.ts';

/**
 * Creates the partitions of this month and the next two, and drops those of months beyond the retention. Both functions
 * belong to the database owner, so the worker chooses neither time nor retention. Returns false when the table was
 * locked.
 */
export async function maintainAuditPartitions(orm: Orm): Promise<boolean> {
  const created = await alterPartitions(orm, sql`select create_audit_partitions()`);
  return (await alterPartitions(orm, sql`select drop_expired_audit_partitions()`)) && created;
}
