import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../../../platform/database/migrate.ts';
import { migrations } from '../../../../platform/database/migrations/list.ts';
import { anEmptyDatabase } from '../../../support/database.ts';
import { released } from './lists.ts';

/*
 * While `migrate` runs, the role of API and worker of release 0.2.0 has no privileges on the tables that it has created: it
 * grants them at its end.
 */

const owners = '2026-11-30-trigger-owners';
const database = await anEmptyDatabase();
const role = `runtime_${randomBytes(4).toString('hex')}`;
await migrateDatabase(database.url, undefined, { list: released });
await database.sql(`create role ${role}`);
await database.sql(`grant select, insert, update, delete on all tables in schema public to ${role}`);
await database.sql(`grant usage on all sequences in schema public to ${role}`);
// Without the migration that changes functions of earlier builds: it would hide that a function lacks its owner's privileges.
await migrateDatabase(database.url, undefined, { list: migrations.filter(({ name }) => name !== owners) });
afterAll(async () => {
  await database.sql(`drop owned by ${role}`);
  await database.sql(`drop role ${role}`);
  await database.drop();
});

const session = await database.connect();
await session.query(`
  insert into workspace (public_id, name, owner_email, token_hash, token_enc) values ('w', 'w', 'w@example.com', 'w', 'w');
  insert into api_key (workspace_id, key_hash, key_enc, name, type, owner_email)
    select id, 'k', 'k', 'k', 'testing', 'k@example.com' from workspace;
  set role ${role}`);

describe('the role of release 0.2.0, before the grants of a migration', () => {
  it('cannot read later tables', async () => {
    for (const table of ['webhook_subscription', 'notice', 'thread', 'mail_suppression'])
      await expect(session.query(`select from ${table}`)).rejects.toThrow('permission denied');
  });

  it('inserts, changes and deletes webhook endpoints, whose subscriptions follow', async () => {
    const subscriptions = async () =>
      database.sql('select type, channel from webhook_subscription order by type');
    await session.query(
      `insert into webhook_endpoint (api_key_id, public_id, url, filter_types)
         select id, 'e', 'https://example.com', '{a,b}' from api_key`,
    );
    expect(await subscriptions()).toEqual([
      { type: 'a', channel: '' },
      { type: 'b', channel: '' },
    ]);
    await session.query(`update webhook_endpoint set filter_types = '{c}', channels = '{d}'`);
    expect(await subscriptions()).toEqual([{ type: 'c', channel: 'd' }]);
    await session.query('update webhook_endpoint set deleted_at = now()');
    expect(await subscriptions()).toEqual([]);
    await session.query('delete from webhook_endpoint');
  });

  it('continues deletions of user data', async () => {
    await session.query(
      `insert into user_data_deletion (job_id, api_key_id, public_id, dry_run, users)
         select 1, id, 'd', false, 1 from api_key`,
    );
    await session.query(`update user_data_deletion set done_places = '{a}'`);
    expect(await database.sql('select public_id, done_places from user_data_deletion')).toEqual([
      { public_id: 'd', done_places: ['a'] },
    ]);
  });

  it('completes deletions of keys', async () => {
    await session.query(
      `insert into key_deletion (job_id, public_id, workspace_id, key_id) select 1, 'k', id, 'k' from workspace`,
    );
    await session.query('update key_deletion set verified_at = now()');
    expect(
      await database.sql('select public_id, verified_at is not null as verified from key_deletion'),
    ).toEqual([{ public_id: 'k', verified: true }]);
  });

  it('deletes users', async () => {
    await session.query(`insert into app_user (api_key_id, ext_id) select id, 'ada' from api_key`);
    expect(await database.sql('select ext_id from app_user')).toEqual([{ ext_id: 'ada' }]);
    await session.query('delete from app_user');
    expect(await database.sql('select ext_id from app_user')).toEqual([]);
  });
});

describe('a database that an earlier build has migrated', () => {
  const functions = [
    'refuse_left_rows',
    'refuse_partial_deletion',
    'refuse_partial_key_deletion',
    'write_webhook_subscription',
  ];
  const ofOwner = async (): Promise<string[]> => {
    const found = await database.sql<{ name: string }>(
      `select proname as name from pg_proc where proname = any($1) and prosecdef
         and proconfig = array['search_path=public, pg_temp'] order by 1`,
      [functions],
    );
    return found.map(({ name }) => name);
  };

  it('has the same functions after the next migration', async () => {
    expect(await ofOwner()).toEqual(functions);
    for (const name of functions) await database.sql(`alter function ${name}() security invoker reset all`);
    expect(await ofOwner()).toEqual([]);
    await migrateDatabase(database.url);
    expect(await ofOwner()).toEqual(functions);
  });
});
