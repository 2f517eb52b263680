import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { entities } from '../../../domain/entities.ts';
import { beginEpoch, noticeRestore, noticeTimeline } from '../../../domain/restores/epochs.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { aRuntimeRole } from '../../support/runtime-role.ts';
import { adminUrl, aDatabase, urlOf } from '../../support/database.ts';

const original = await aDatabase();
const copy = `test_${randomBytes(8).toString('hex')}`;
const open = (url: string) =>
  openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000, plansOnce: false, entities });
const opened = [original.url, urlOf(copy)].map(open);
const [first, second] = opened.map(
  ({ orm }) =>
    () =>
      orm.em.fork(),
);
if (first === undefined || second === undefined) throw new Error('missing database');

afterAll(async () => {
  for (const database of opened) await database.close();
  await asAdmin(`drop database if exists ${copy} with (force)`);
  await original.drop();
});

async function asAdmin(statement: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  await admin.query(statement);
  await admin.end();
}

/** The last key that each sequence of keys in links has assigned. */
const lastKeys = async (): Promise<readonly number[]> => {
  const tables = ['app_user', 'organization', 'document'];
  const rows = await original.sql<{ last: string }>(
    tables.map((table) => `select last_value as last from ${table}_id_seq`).join(' union all '),
  );
  return rows.map(({ last }) => Number(last));
};

const storedEpoch = async (): Promise<string | undefined> =>
  (await original.sql<{ epoch: string }>('select epoch from restore_state'))[0]?.epoch;

describe('the epoch of webhook sequences', () => {
  it('is 1 until the database is restored', async () => {
    expect(await noticeRestore(first())).toBeUndefined();
    expect(await noticeRestore(first())).toBeUndefined();
    expect(await storedEpoch()).toBe('1');
  });

  it('increases by the command, and stays unchanged otherwise', async () => {
    const before = Math.floor(Date.now() / 1_000) - 60;
    const begun = Number(await beginEpoch(first()));
    expect(begun).toBeGreaterThan(before);
    expect(Number(await beginEpoch(first()))).toBeGreaterThan(begun);
    expect(await noticeRestore(first())).toBeUndefined();
  });

  it('increases once when the timeline of the server has changed', async () => {
    const former = Number(await storedEpoch());
    expect(await noticeTimeline(first())).toBeUndefined();
    await original.sql(`update restore_state set identity = left(identity, -8) || '000000FF'`);
    expect(Number(await noticeTimeline(first()))).toBeGreaterThan(former);
    expect(await noticeTimeline(first())).toBeUndefined();
    expect(await noticeRestore(first())).toBeUndefined();
  });

  it('begins once, and skips 10 billion keys of users, organizations and documents, when two processes detect the restore', async () => {
    const former = await lastKeys();
    await original.sql(`update restore_state set identity = left(identity, -8) || '000000FE'`);
    const detecting = [noticeRestore, noticeTimeline, noticeRestore].map(async (notice) => notice(first()));
    const begun = await Promise.all(detecting);
    expect(begun.filter((epoch) => epoch !== undefined)).toHaveLength(1);
    expect(await lastKeys()).toEqual(former.map((last) => last + 10_000_000_001));
    await noticeRestore(first());
    expect(await lastKeys()).toEqual(former.map((last) => last + 10_000_000_001));
  });

  it('skips these keys also for a role that does not own the tables', async () => {
    const role = await aRuntimeRole(original);
    const database = open(role.url);
    const [former = 0] = await lastKeys();
    await beginEpoch(database.orm.em.fork());
    await database.close();
    await role.drop();
    expect((await lastKeys())[0]).toBe(former + 10_000_000_001);
  });

  it('increases once in a copy of the database', async () => {
    const former = Number(await storedEpoch());
    const name = new URL(original.url).pathname.slice(1);
    await asAdmin(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
    );
    await asAdmin(`create database ${copy} template ${name} strategy file_copy`);
    expect(Number(await noticeRestore(second()))).toBeGreaterThan(former);
    expect(await noticeRestore(second())).toBeUndefined();
    expect(Number(await storedEpoch())).toBe(former);
  });
});
