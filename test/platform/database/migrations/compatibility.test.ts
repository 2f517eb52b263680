import { afterAll, describe, expect, it } from '@jest/globals';
import type { Migration } from '@mikro-orm/migrations';
import { migrateDatabase } from '../../../../platform/database/migrate.ts';
import type { ListedMigration } from '../../../../platform/database/run-migrations.ts';
import { anEmptyDatabase } from '../../../support/database.ts';
import { released, unreleased } from './lists.ts';

/*
 * Processes of release 0.2.0 run beside current ones on the current schema, and read and write every table by the earlier schema.
 */

const database = await anEmptyDatabase();
afterAll(database.drop);

interface Column {
  readonly column: string;
  readonly type: string;
  readonly required: boolean;
}

const columns = async (): Promise<Column[]> =>
  database.sql(
    `select c.relname || '.' || a.attname as column, format_type(a.atttypid, a.atttypmod) as type,
       a.attnotnull and not a.atthasdef and a.attidentity = '' as required
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
  );

/** Constraints that refuse rows: checks, foreign keys and unique indexes, with a row for each of their columns. */
const constraints = async () =>
  database.sql<{ column: string; constraint: string }>(
    `select c.relname || '.' || a.attname as column, text as constraint from (
       select conrelid as of, conkey as columns, pg_get_constraintdef(oid) as text from pg_constraint where contype in ('c', 'f')
       union all select indrelid, indkey, pg_get_indexdef(indexrelid) from pg_index where indisunique) d
     join pg_class c on c.oid = d.of join pg_attribute a on a.attrelid = c.oid and a.attnum = any(d.columns)
     where c.relnamespace = 'public'::regnamespace`,
  );

await migrateDatabase(database.url, undefined, { list: released });
const before = { columns: await columns(), constraints: await constraints() };
await migrateDatabase(database.url);
const after = { columns: await columns(), constraints: await constraints() };

const tableOf = ({ column }: Column) => column.slice(0, column.indexOf('.'));
const tables = new Set(before.columns.map(tableOf));

describe('the migrations since release 0.2.0', () => {
  it('keep every column of that release with its type', () => {
    const now = new Map(after.columns.map(({ column, type }) => [column, type]));
    const changed = before.columns.filter(({ column, type }) => now.get(column) !== type);
    expect(changed).toEqual([]);
  });

  it('require no column of that release’s tables that it does not write', () => {
    const required = before.columns.filter(({ required }) => required).map(({ column }) => column);
    const now = after.columns.filter((one) => one.required && tables.has(tableOf(one)));
    expect(now.map(({ column }) => column)).toEqual(required);
  });

  it('refuse no row that the release writes', () => {
    const known = new Set(before.constraints.map(({ constraint }) => constraint));
    const written = new Set(before.columns.map(({ column }) => column));
    const added = after.constraints.filter(
      ({ column, constraint }) => written.has(column) && !known.has(constraint),
    );
    expect(added).toEqual([]);
  });

  it('build indexes of tables with rows concurrently', async () => {
    const blocking: string[] = [];
    for (const { name, class: Listed } of unreleased as readonly ListedMigration[]) {
      const migration: Migration = Reflect.construct(Listed, []);
      if (!migration.isTransactional()) continue;
      await migration.up();
      const text = JSON.stringify(migration.getQueries()).replaceAll(/\\n\s*/g, ' ');
      const indexes = [...text.matchAll(/create (?:unique )?index \w+ on (\w+)/gi)];
      blocking.push(
        ...indexes.filter(([, table = '']) => tables.has(table)).map(([index]) => `${name}: ${index}`),
      );
    }
    expect(blocking).toEqual([]);
  });
});
