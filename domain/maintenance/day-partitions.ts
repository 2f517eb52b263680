import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { tablesOf } from '../tables.ts';
import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';

interface DailyTable {
  readonly name: string;
  /** The column that decides on the partition. */
  readonly by: string;
  readonly keptDays: number;
  /** Percent of a page that new rows fill. */
  readonly fillfactor?: number;
}

/** Tables with a partition a day. */
const tables: readonly DailyTable[] = [
  { name: 'event', by: 'at', keptDays: 30 },
  { name: 'event_user', by: 'at', keptDays: 30 },
  { name: 'moment_name', by: 'at', keptDays: 30 },
  // Each message is claimed once at least: room beside it, and no index hears of that.
  { name: 'delivery', by: 'event_at', keptDays: 30, fillfactor: 45 },
  { name: 'attempt', by: 'at', keptDays: 30 },
];

const daysAhead = 7;
const day = 86_400_000;

/** Rows of a default partition that one turn removes. */
const atOnce = 5_000;

const nameOf = (table: string, at: number): string =>
  `${table}_${new Date(at).toISOString().slice(0, 10).replaceAll('-', '')}`;

/**
 * Makes the partitions of the coming days and drops those that have had their time. What the default partition took
 * while a day had none goes by deletion. Waits for no one: a table that is in use now has its turn a quarter of a minute later.
 */
export async function maintainDayPartitions(orm: Orm, now: number): Promise<void> {
  for (const table of tables) {
    const { name, keptDays } = table;
    const present = await partitionsOf(orm, name);
    const oldest = nameOf(name, now - keptDays * day);
    const statements = [
      ...comingDays(now)
        .filter((at) => !present.has(nameOf(name, at)))
        .map((at) => additionOf(table, at)),
      ...[...present]
        .filter((partition) => /_\d{8}$/.test(partition) && partition < oldest)
        .map((partition) => sql`drop table ${sql.table(partition)}`),
    ];
    for (const statement of statements) if (!(await alter(orm, statement))) break;
    await clearDefault(orm, table);
  }
}

function comingDays(now: number): number[] {
  return Array.from({ length: daysAhead + 1 }, (_, ahead) => now + ahead * day);
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

function additionOf({ name, fillfactor = 100 }: DailyTable, at: number): RawBuilder<unknown> {
  const [partition, table] = [sql.table(nameOf(name, at)), sql.table(name)];
  return sql`create table if not exists ${partition} partition of ${table}
    for values from (${midnight(at)}) to (${midnight(at + day)}) with (fillfactor = ${sql.lit(fillfactor)})`;
}

const midnight = (at: number) => sql.lit(`${new Date(at).toISOString().slice(0, 10)} 00:00+00`);

/**
 * SQLSTATEs that leave nothing to do: a day whose rows are in the default partition already stays there, and another
 * turn of the sweep has made or dropped the partition meanwhile.
 */
const settled: ReadonlySet<unknown> = new Set(['23514', '42P07', '42P01']);

/** False when someone else uses the table. */
async function alter(orm: Orm, statement: RawBuilder<unknown>): Promise<boolean> {
  try {
    await inTransaction(orm, async (em) => {
      await sql`select set_config('lock_timeout', '500ms', true)`.execute(tablesOf(em));
      await statement.execute(tablesOf(em));
    });
    return true;
  } catch (error) {
    if (settled.has((error as { code?: unknown }).code)) return true;
    if (classifyDatabaseError(error) === 'timeout') return false;
    throw error;
  }
}

async function clearDefault(orm: Orm, { name, by, keptDays }: DailyTable): Promise<void> {
  const rest = sql.table(`${name}_default`);
  const expired = sql`${sql.ref(by)} < now() - ${keptDays} * interval '1 day'`;
  await sql`delete from ${rest} where ctid = any(array(
    select ctid from ${rest} where ${expired} limit ${sql.lit(atOnce)})) and ${expired}`.execute(
    tablesOf(orm.em.fork()),
  );
}
