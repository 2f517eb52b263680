import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client, QueryResult } from 'pg';
import { aDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

/*
 * Properties of PostgreSQL on which the data model relies. Each test explains a decision of the product. A release of PostgreSQL that breaks one of them breaks the product's guarantees.
 */

const database = await aDatabase();
afterAll(database.drop);

let [a, b] = [await database.connect(), await database.connect()];
beforeEach(async () => {
  await Promise.all([a.end(), b.end()]);
  [a, b] = [await database.connect(), await database.connect()];
  await database.sql('drop table if exists child, parent, fence, person, queue');
});

/** Sends a statement. Returns whether it waits for another transaction, and the promise of its end. */
async function sent(
  client: Client,
  statement: string,
): Promise<{ readonly waits: boolean; readonly ended: () => Promise<QueryResult> }> {
  const pid = (client as Client & { processID: number }).processID;
  const running = client.query(statement);
  let over = false;
  const end = (): void => {
    over = true;
  };
  running.then(end, end);
  const waits = await eventually(async () => {
    const [found] = await database.sql<{ blocked: boolean }>(
      'select cardinality(pg_blocking_pids($1)) > 0 as blocked',
      [pid],
    );
    if (!over && found?.blocked !== true) throw new Error('It runs.');
    return { yes: !over };
  });
  return { waits: waits.yes, ended: () => running };
}

const withParent = async (index: string): Promise<void> => {
  await database.sql('create table parent (id int primary key, ext_id text, deleted_at timestamptz)');
  await database.sql(index);
  await database.sql('create table child (id int primary key, parent_id int not null references parent)');
  await database.sql(`insert into parent values (1, 'old')`);
};

describe('changing a customer’s id in a full unique index', () => {
  const full = 'create unique index on parent (ext_id)';

  it('waits for writers with referencing rows', async () => {
    await withParent(full);
    await a.query('begin');
    await a.query('insert into child values (1, 1)');
    const change = await sent(b, `update parent set ext_id = 'new' where id = 1`);
    expect(change.waits).toBe(true);
    await a.query('commit');
    await change.ended();
  });

  it('makes later writers wait, and they see the new id', async () => {
    await withParent(full);
    await a.query('begin');
    await a.query(`update parent set ext_id = 'new' where id = 1`);
    const insert = await sent(
      b,
      `insert into child select 1, id from parent where ext_id = 'old' for key share`,
    );
    expect(insert.waits).toBe(true);
    await a.query('commit');
    await insert.ended();
    // PostgreSQL re-checked the row after the wait: no row has the old id.
    expect(await database.sql('select from child')).toHaveLength(0);
  });

  it('does not wait for writers when the index is partial, so tombstones can release their id', async () => {
    await withParent('create unique index on parent (ext_id) where deleted_at is null');
    await a.query('begin');
    await a.query('insert into child values (1, 1)');
    const change = await sent(b, `update parent set ext_id = 'new' where id = 1`);
    expect(change.waits).toBe(false);
    await change.ended();
    await a.query('rollback');
  });

  it('waits for writers of organizations, folders, documents and users', async () => {
    const found = await database.sql<{ table: string; whole: boolean }>(
      `select c.relname as table, i.indpred is null as whole from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_class n on n.oid = i.indexrelid where n.relname in ('organization_ext', 'folder_ext', 'document_ext', 'app_user_ext')
         and i.indisunique order by 1`,
    );
    expect(found).toEqual(
      ['app_user', 'document', 'folder', 'organization'].map((table) => ({ table, whole: true })),
    );
  });
});

describe('a fence that another table holds', () => {
  const prepare = async (): Promise<void> => {
    await database.sql('create table person (id int primary key)');
    await database.sql('create table fence (person_id int primary key)');
    await database.sql('insert into person values (1)');
    await a.query('begin');
    await a.query('select from person where id = 1 for update');
    await a.query('insert into fence values (1)');
    await b.query('begin');
  };

  it('is missed by a condition in the locking statement', async () => {
    await prepare();
    const lock = await sent(
      b,
      `select from person p where id = 1 and not exists (select from fence where person_id = p.id) for key share`,
    );
    expect(lock.waits).toBe(true);
    await a.query('commit');
    expect(await lock.ended()).toMatchObject({ rowCount: 1 });
  });

  it('is visible to a second statement after the lock', async () => {
    await prepare();
    const lock = await sent(b, `select from person where id = 1 for key share`);
    expect(lock.waits).toBe(true);
    await a.query('commit');
    await lock.ended();
    expect(await b.query('select from fence where person_id = 1')).toMatchObject({ rowCount: 1 });
    await b.query('rollback');
  });
});

describe('a queue', () => {
  const insertLate = async (): Promise<void> => {
    await database.sql('create table queue (id bigint generated always as identity primary key)');
    await a.query('begin');
    await a.query('insert into queue default values');
    await database.sql('insert into queue default values');
  };

  it('that is read by "id greater than the last" misses rows that commit late', async () => {
    await insertLate();
    const read = async (last: string) =>
      (await database.sql<{ id: string }>('select id from queue where id > $1 order by id', [last])).map(
        ({ id }) => id,
      );
    const first = await read('0');
    await a.query('commit');
    expect([first, await read(first.at(-1) ?? '0')]).toEqual([['2'], []]);
  });

  it('that is consumed by deletes returns each row exactly once', async () => {
    await insertLate();
    const take = async (client: Client) =>
      (
        await client.query<{ id: string }>(
          `delete from queue where id in (select id from queue order by id limit 10 for update skip locked) returning id`,
        )
      ).rows.map(({ id }) => id);
    const c = await database.connect();
    await b.query('begin');
    const first = await take(b);
    // A second consumer does not wait for the first one.
    expect([first, await take(c)]).toEqual([['2'], []]);
    await a.query('commit');
    expect(await take(c)).toEqual(['1']);
    await b.query('rollback');
    // Rows that a consumer deleted without committing are available again.
    expect(await take(c)).toEqual(['2']);
  });
});

describe('ids of 1,000 bytes', () => {
  it('fit every index, and the database rejects longer ones', async () => {
    const columns = await database.sql<{ table: string; column: string }>(
      `select distinct c.relname as table, a.attname as column from pg_index i join pg_class c on c.oid = i.indrelid
       join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
       where c.relnamespace = 'public'::regnamespace and a.attname ~ 'ext_id$|entity_id$' and not c.relispartition
       order by 1, 2`,
    );
    expect(columns).toContainEqual({ table: 'document', column: 'ext_id' });
    const random = await database.sql<{ id: string }>(
      `select left(string_agg(md5(random()::text), ''), 1000) as id from generate_series(1, 32)`,
    );
    const [key] = await database.sql<{ id: string }>(
      `with w as (insert into workspace (public_id, name, owner_email, token_hash, token_enc) values ('w', '', '', '', '') returning id)
       insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email) select id, '', '', '', '', '' from w returning id`,
    );
    const id = random[0]?.id ?? '';
    const insert = `insert into organization (api_key_id, ext_id, name) values ($1, $2, 'x') returning id`;
    const [organization] = await database.sql<{ id: string }>(insert, [key?.id, id]);
    const values = [key?.id, organization?.id, id];
    await database.sql(
      `insert into folder (api_key_id, org_id, ext_id, name) values ($1, $2, $3, repeat($3, 4))`,
      values,
    );
    await database.sql(
      `insert into document (api_key_id, org_id, ext_id, name) values ($1, $2, $3, $3)`,
      values,
    );
    await database.sql(
      `insert into document (api_key_id, org_id, ext_id, folder_id, name)
      select $1, $2, reverse($3), f.id, $3 from folder f`,
      values,
    );
    await database.sql(`insert into app_user (api_key_id, ext_id) values ($1, $2)`, [key?.id, id]);
    await database.sql(
      `insert into id_reservation (org_id, ext_id, job_id) values ($1, $2, 1)`,
      values.slice(1),
    );
    await database.sql(
      `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, target_entity_id, content_hash, body)
       select $1, $2, d.id, $3, 0, 0, 'x', 0, $3, '', '{}' from document d where d.ext_id = $3`,
      values,
    );
    await expect(database.sql(insert, [key?.id, `${id}x`])).rejects.toMatchObject({ code: '23514' });
  });
});
