import { sql } from 'kysely';
import type { Orm } from '../../platform/database/orm.ts';
import { alterPartitions } from './day-partitions.ts';

/**
 * Creates the partitions of this month and the next two, and drops those of months that the retention has passed. Both
 * functions are the database owner's: neither time nor retention is the worker's choice.
 */
export async function maintainAuditPartitions(orm: Orm): Promise<void> {
  await alterPartitions(orm, sql`select create_audit_partitions()`);
  await alterPartitions(orm, sql`select drop_expired_audit_partitions()`);
}
