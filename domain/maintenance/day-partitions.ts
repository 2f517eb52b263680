import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { codeOf } from '../../platform/process/error-code.ts';
import { dayMs } from '../../platform/units.ts';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { batchDeletion } from '../delete-batch.ts';
import { tablesOf } from '../tables.ts';

interface DailyTable {
  readonly name: string;
  /** The partition column. */
  readonly by: string;
  /** Percent. */
  readonly fillfactor?: number;
  /** Retention in days; by default the caller's. */
  readonly retentionDays?: number;
}

/**
 * Tables with one partition per day, in the order of dropping. A due delivery without its event would block its endpoint.
 * Indexes of people outlast the rows in which they find people.
 */
const tables: readonly DailyTable[] = [
  { name: 'attempt', by: 'at' },
  // Each row is updated at least once, when it is claimed: free space on its page allows heap-only tuple updates.
  { name: 'delivery', by: 'event_at', fillfactor: 45 },
  { name: 'event', by: 'at' },
  { name: 'event_user', by: 'at' },
  { name: 'moment_name', by: 'at' },
  { name: 'delivery_log', by: 'at', retentionDays: 30 },
  { name: 'delivery_item', by: 'at', retentionDays: 30 },
];

/** Tables whose default partition takes the rows of days without a partition of their own. */
export const dailyTableNames = tables.map(({ name }) => name);

const daysAhead = 7;

/** A drop waits for longer than `deadlock_timeout`, 1 s, after which PostgreSQL cancels an autovacuum that it waits for. */
const lockTimeouts = { drop: '1500ms', other: '500ms' } as const;

const nameOf = (table: string, at: number): string =>
  `${table}_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;

/**
 * Creates the partitions of the next 7 days and drops expired ones. Deletes expired rows of the default partition, which
 * holds rows of days without a partition, up to 5,000 of a table. Leaves what stays to the next call, 15 s later, with all
 * that follows in the order of dropping. Returns false where tables stayed locked. `now`: milliseconds since the epoch.
 */
export async function maintainDayPartitions(orm: Orm, now: number, retentionDays: number): Promise<boolean> {
  let created = true;
  let dropped = true;
  let emptied = true;
  for (const table of tables) {
    const { name, retentionDays: days = retentionDays } = table;
    const present = await partitionsOf(orm, name);
    const oldest = nameOf(name, now - days * dayMs);
    created = (await createPartitions(orm, table, present, now)) && created;
    const expired = [...present].filter((partition) => /_\d{8}$/.test(partition) && partition < oldest);
    for (const partition of expired)
      dropped &&= await alterPartitions(orm, removalOf(table, partition), lockTimeouts.drop);
    emptied &&= dropped && (await deleteExpiredOfDefault(orm, table, days));
  }
  return created && dropped;
}

/**
 * Creates the partitions of the next 7 days, so that no row of theirs goes to a default partition. Leaves those of locked
 * tables to `maintainDayPartitions`.
 */
export async function createDayPartitions(orm: Orm, now: number): Promise<void> {
  for (const table of tables) await createPartitions(orm, table, await partitionsOf(orm, table.name), now);
}

/** Returns false when the table stayed locked. */
async function createPartitions(
  orm: Orm,
  table: DailyTable,
  present: ReadonlySet<string>,
  now: number,
): Promise<boolean> {
  for (const at of comingDays(now).filter((coming) => !present.has(nameOf(table.name, coming))))
    if (!(await alterPartitions(orm, creationOf(table, at)))) return false;
  return true;
}

function comingDays(now: number): number[] {
  return Array.from({ length: daysAhead + 1 }, (_, ahead) => now + ahead * dayMs);
}

const PartitionRow = z.strictObject({ name: z.string() });

async function partitionsOf(orm: Orm, table: string): Promise<ReadonlySet<string>> {
  const found = await rowsOf(
    orm.em.fork(),
    PartitionRow,
    sql`select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = ${table}::regclass`,
  );
  return new Set(found.map(({ name }) => name));
}

/*
 * The functions run as the owner of the tables, because the role of the worker may be another (docs/audit-log.md).
 */

const creationOf = ({ name, fillfactor = 100 }: DailyTable, at: number): RawBuilder<unknown> =>
  sql`select create_day_partition(${name}, ${new Date(at).toISOString().slice(0, 10)}::date, ${fillfactor}::int)`;

const removalOf = ({ name }: DailyTable, partition: string): RawBuilder<unknown> =>
  sql`select drop_day_partition(${name}, to_date(${partition.slice(-8)}, 'YYYYMMDD'))`;

/**
 * Expected SQLSTATEs: the default partition already holds rows of the day (23514), or another turn created (42P07) or
 * dropped (42P01) the partition.
 */
const expectedStates: ReadonlySet<string> = new Set(['23514', '42P07', '42P01']);

/**
 * Creates or drops partitions. Returns false when another transaction keeps the table locked for the time, 500 ms by
 * default.
 */
export async function alterPartitions(
  orm: Orm,
  statement: RawBuilder<unknown>,
  lockTimeout: string = lockTimeouts.other,
): Promise<boolean> {
  try {
    await inTransaction(orm, async (em) => {
      await sql`select set_config('lock_timeout', ${lockTimeout}, true)`.execute(tablesOf(em));
      await statement.execute(tablesOf(em));
    });
    return true;
  } catch (error) {
    if (expectedStates.has(codeOf(error))) return true;
    if (classifyDatabaseError(error) === 'timeout') return false;
    throw error;
  }
}

/** Returns whether it has deleted all of them. */
async function deleteExpiredOfDefault(
  orm: Orm,
  { name, by }: DailyTable,
  retentionDays: number,
): Promise<boolean> {
  const where = sql`${sql.ref(by)} < now() - ${retentionDays} * interval '1 day'`;
  const wasFull = await batchDeletion({ table: `${name}_default`, where })(orm.em.fork());
  return !wasFull;
}
