import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withDatabase } from '../../../../cli/database.ts';
import { migrateDatabase } from '../../../../platform/database/migrate.ts';
import { migrations } from '../../../../platform/database/migrations/list.ts';
import type { ListedMigration, MigrationProgress } from '../../../../platform/database/run-migrations.ts';
import { aDatabase, anEmptyDatabase, type TestDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { indexedColumn, partitionedIndex, uniqueIndex } from './lists.ts';

let database: TestDatabase;
beforeEach(async () => {
  database = await aDatabase();
});
afterEach(async () => database.drop());

const migrate = async (
  added: readonly ListedMigration[],
  onProgress?: (progress: MigrationProgress) => void,
) => migrateDatabase(database.directUrl, onProgress, { list: [...migrations, ...added] });

const numbers = async (...sent: readonly number[]) => {
  await database.sql('create table if not exists numbered (number int)');
  await database.sql('insert into numbered select unnest($1::int[])', [sent]);
};

const validity = async () =>
  database.sql(`select indisvalid as valid from pg_index where indexrelid = to_regclass('numbered_number')`);

/** A transaction that has read or written a table, and keeps its locks until `end`. */
async function aTransaction(statement: string) {
  const client = await database.connect();
  await client.query('begin');
  await client.query(statement);
  return { end: async () => client.query('rollback') };
}

/** Whether a session builds an index and waits for others. */
const building = async () =>
  eventually(async () => {
    const found = await database.sql(
      `select from pg_stat_activity where datname = current_database() and state = 'active'
         and wait_event_type = 'Lock' and query like 'create%index concurrently%' and query_start < now() - interval '0.5 s'`,
    );
    expect(found).toHaveLength(1);
  });

const recorded = async () => database.sql(`select name from schema_migration where name like 'test-%'`);

describe('the database of a migration', () => {
  it('may limit the time of transactions', async () => {
    const empty = await anEmptyDatabase();
    const name = new URL(empty.directUrl).pathname.slice(1);
    const has = await empty.sql(`select from pg_settings where name = 'transaction_timeout'`);
    try {
      // PostgreSQL has it from version 17 on.
      if (has.length > 0)
        await empty.sql(`alter role session_user in database ${name} set transaction_timeout = '100ms'`);
      const { names } = await migrateDatabase(empty.directUrl);
      expect(names).toEqual(migrations.map((migration) => migration.name));
    } finally {
      await empty.drop();
    }
  });

  it('must be in UTF-8', async () => {
    const name = `test_latin_${String(process.pid)}`;
    await database.sql(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    try {
      const latin = new URL(database.directUrl);
      latin.pathname = `/${name}`;
      await expect(migrateDatabase(latin.href)).rejects.toThrow('is LATIN1 and must be UTF8');
    } finally {
      await database.sql(`drop database ${name}`);
    }
  });
});

describe('a migration that fails', () => {
  it('leaves no change and keeps earlier migrations, and the next run continues', async () => {
    const empty = await anEmptyDatabase();
    const pending = () => withDatabase(empty.url, (_, opened) => opened.pendingMigrations());
    try {
      // The last statement of the second migration fails because its table's name is taken.
      await empty.sql('create table preference (id int)');
      await expect(migrateDatabase(empty.url)).rejects.toThrow('preference');
      const [foundation, access, ...others] = migrations.map(({ name }) => name);
      expect([foundation, access]).toEqual(['2026-11-21-foundation', '2026-11-21-access']);
      expect(await pending()).toEqual(others);
      expect(await empty.sql(`select from pg_class where relname = 'notification'`)).toEqual([]);
      await empty.sql('drop table preference');
      await migrateDatabase(empty.url);
      expect(await pending()).toEqual([]);
    } finally {
      await empty.drop();
    }
  });
});

describe('a migration whose table is locked', () => {
  it('does not block later calls on the table while it waits, and runs when the lock is free', async () => {
    const reader = await aTransaction('select from activity');
    const progress: MigrationProgress[] = [];
    const migrating = migrate(indexedColumn, (one) => progress.push(one));
    await eventually(() => expect(progress.some(({ waiting }) => waiting)).toBe(true));
    expect(await database.sql('select from activity')).toEqual([]);
    await reader.end();
    await migrating;
    expect(progress.at(-1)).toEqual({ name: undefined, waiting: false, done: 2, pending: 2 });
    expect(await database.sql('select test_column from activity')).toEqual([]);
  });
});

describe('an index', () => {
  it('is built while others write, for longer than the role’s statement timeout', async () => {
    await numbers(1);
    await database.sql(
      `alter role session_user in database ${new URL(database.url).pathname.slice(1)} set statement_timeout = '300'`,
    );
    const writer = await aTransaction('insert into numbered values (2)');
    const migrating = migrate(uniqueIndex);
    await building();
    await numbers(3);
    await writer.end();
    await migrating;
    expect(await validity()).toEqual([{ valid: true }]);
  });

  it('is built once by concurrent processes', async () => {
    await numbers(1);
    const writer = await aTransaction('insert into numbered values (2)');
    const first = migrate(uniqueIndex);
    await building();
    const others = [migrate(uniqueIndex), migrate(uniqueIndex)];
    await writer.end();
    await Promise.all([first, ...others]);
    expect(await validity()).toEqual([{ valid: true }]);
    expect(await recorded()).toHaveLength(1);
  });

  it('that an earlier run left invalid is built again', async () => {
    await numbers(1, 1);
    await expect(migrate(uniqueIndex)).rejects.toThrow('could not create unique index');
    expect(await validity()).toEqual([{ valid: false }]);
    await database.sql('delete from numbered');
    await numbers(1, 2);
    await migrate(uniqueIndex);
    expect(await validity()).toEqual([{ valid: true }]);
  });

  it('is completed by the next run when kill -9 ends the process that builds it', async () => {
    await numbers(1);
    const writer = await aTransaction('insert into numbered values (2)');
    const { NODE_OPTIONS: _jests, ...env } = process.env;
    const script = fileURLToPath(new URL('migrate.ts', import.meta.url));
    const child = spawn(process.execPath, [script, database.directUrl], { env, stdio: 'ignore' });
    await building();
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
    const next = migrate(uniqueIndex);
    await writer.end();
    await next;
    expect(await validity()).toEqual([{ valid: true }]);
    expect(await recorded()).toEqual([{ name: 'test-unique-index' }]);
  });
});

describe('an index of a partitioned table', () => {
  const parted = async () => {
    await database.sql('create table parted (day int, number int) partition by list (day)');
    for (const day of [1, 2, 3])
      await database.sql(
        `create table parted_${String(day)} partition of parted for values in (${String(day)})`,
      );
    await database.sql('insert into parted select day, 1 from generate_series(1, 3) day');
  };

  /** Each partition with an index that belongs to the table's, which is then valid. */
  const indexed = async () =>
    database.sql(
      `select x.indrelid::regclass::text as partition, x.indisvalid and t.indisvalid as valid
       from pg_index t join pg_inherits i on i.inhparent = t.indexrelid join pg_index x on x.indexrelid = i.inhrelid
       where t.indexrelid = to_regclass('parted_number') order by 1`,
    );

  const all = [1, 2, 3].map((day) => ({ partition: `parted_${String(day)}`, valid: true }));

  it('is built while others write, and new partitions get it', async () => {
    await parted();
    const writer = await aTransaction('insert into parted_2 values (2, 2)');
    const migrating = migrate(partitionedIndex);
    await building();
    await database.sql('insert into parted select day, 3 from generate_series(1, 3) day');
    await writer.end();
    await migrating;
    expect(await indexed()).toEqual(all);
    await database.sql('create table parted_4 partition of parted for values in (4)');
    expect(await indexed()).toEqual([...all, { partition: 'parted_4', valid: true }]);
  });

  it('is completed by the next run after one that ended between or within its partitions', async () => {
    await parted();
    const definition = '(number) where number > 0';
    await database.sql(`create index parted_number on only parted ${definition}`);
    await database.sql(`create index parted_1_parted_number on parted_1 ${definition}`);
    const writer = await aTransaction('insert into parted_2 values (2, 2)');
    const interrupted = await database.connect();
    await interrupted.query(`set statement_timeout = '500ms'`);
    const build = `create index concurrently parted_2_parted_number on parted_2 ${definition}`;
    await expect(interrupted.query(build)).rejects.toThrow('statement timeout');
    await interrupted.end();
    await writer.end();
    expect(await indexed()).toEqual([]);
    await migrate(partitionedIndex);
    expect(await indexed()).toEqual(all);
  });
});
