import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, escapeIdentifier } from 'pg';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { ChannelListener } from '../../../platform/database/channel-listener.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { inSnapshot, inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { roleSettings } from '../../../platform/database/role-settings.ts';
import { SessionSettings, type MissingSettings } from '../../../platform/database/session-settings.ts';

import { startTestApi } from '../../support/api.ts';
import { aDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { row, rows } from '../../support/raw-sql.ts';
import { aStartupReader } from '../../support/startup-reader.ts';

const database = await aDatabase();
const name = new URL(database.directUrl).pathname.slice(1);
afterAll(database.drop);

/** Leaves the role without any of these settings: PostgreSQL's own default of the isolation level is Steward's. */
async function takeRoleSettings(): Promise<void> {
  const role = `alter role session_user in database ${name}`;
  await database.sql(`${role} reset all`);
  await database.sql(`${role} set default_transaction_isolation = 'serializable'`);
}

const settingNames = Object.keys(roleSettings);

/** The settings with which new sessions begin. */
async function settingsOfSession(url = database.directUrl): Promise<Record<string, string>> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const found = await client.query<{ name: string; setting: string }>(
      'select name, setting from pg_settings where name = any($1)',
      [settingNames],
    );
    return Object.fromEntries(found.rows.map(({ name, setting }) => [name, setting]));
  } finally {
    await client.end();
  }
}

const opened: { close(): Promise<void> }[] = [];
afterAll(async () => Promise.all(opened.map(async (one) => one.close())));

function open(options: { readonly statementTimeoutMs?: number; readonly statementNames?: boolean } = {}) {
  const missing: MissingSettings[] = [];
  const one = openDatabase({
    url: database.directUrl,
    poolSize: 1,
    statementTimeoutMs: 10_000,
    plansOnce: true,
    entities: [],
    onMissingSettings: (settings) => missing.push(settings),
    ...options,
  });
  opened.push(one);
  return { ...one, missing };
}

/** The settings that one statement sees, sent with a parameter like those of requests. */
const limitOf = `select $1::text as sent, current_setting('statement_timeout') as "limit", current_setting('plan_cache_mode') as plans`;

/** The settings that a process sends with each transaction to new sessions. */
async function sentSettings(): Promise<string> {
  const settings = new SessionSettings(roleSettings, () => undefined);
  const client = new Client({ connectionString: database.directUrl });
  await client.connect();
  try {
    await settings.read(client);
    return settings.local;
  } finally {
    await client.end();
  }
}

describe('connections to PostgreSQL', () => {
  it('start with a user, a database, an encoding and a name, and no settings', async () => {
    const reader = await aStartupReader(database.directUrl);
    try {
      await migrateDatabase(reader.url);
      const api = await startTestApi({ database, databaseUrl: reader.url });
      await fetch(`${api.url}/readyz`);
      const listener = new ChannelListener({ url: reader.url, channel: 'startup' });
      listener.expect('nothing').cancel();
      await eventually(async () => {
        const named = reader.startups.map((startup) => startup['application_name']);
        expect(new Set(named)).toEqual(new Set([undefined, 'steward', 'steward-notices']));
      });
      await listener.close();
      await api.close();
      const parameters = new Set(reader.startups.flatMap((startup) => Object.keys(startup)));
      expect([...parameters].sort()).toEqual(['application_name', 'client_encoding', 'database', 'user']);
    } finally {
      await reader.close();
    }
  });

  it('do not name prepared statements when names are off', async () => {
    const { orm } = open({ statementNames: false });
    expect(await row(orm.em.fork(), limitOf, ['a'])).toMatchObject({ sent: 'a' });
    expect(await rows(orm.em.fork(), 'select from pg_prepared_statements')).toEqual([]);
  });
});

describe('the settings of the role', () => {
  it('are set for later sessions by migrate on a database of an earlier release', async () => {
    await takeRoleSettings();
    expect(await settingsOfSession()).not.toEqual(roleSettings);
    expect(await migrateDatabase(database.directUrl)).toEqual({ names: [], refusedSettings: undefined });
    expect(await settingsOfSession()).toEqual(roleSettings);
  });

  it('are returned by migrate as a statement when the role may not set them', async () => {
    await takeRoleSettings();
    const limited = `limited_${randomBytes(4).toString('hex')}`;
    await database.sql(`create role ${limited}`);
    await database.sql(`grant all on schema public to ${limited}`);
    await database.sql(`grant all on all tables in schema public to ${limited}`);
    try {
      const url = new URL(database.directUrl);
      url.searchParams.set('options', `-c role=${limited}`);
      const { refusedSettings = '' } = await migrateDatabase(url.href);
      expect(refusedSettings).toContain('set statement_timeout = ');
      expect(await settingsOfSession()).not.toEqual(roleSettings);
      await database.sql(refusedSettings);
      expect(await settingsOfSession()).toEqual(roleSettings);
    } finally {
      await database.sql(`drop owned by ${limited}`);
      await database.sql(`drop role ${limited}`);
    }
  });

  it('are not sent with transactions when sessions start with them', async () => {
    await migrateDatabase(database.directUrl);
    expect(await sentSettings()).toBe('');
    await takeRoleSettings();
    expect(await sentSettings()).toContain(`; set local statement_timeout = '10000'`);
  });
});

describe('a process whose role lacks its settings', () => {
  it('reports them once, with the statement that sets them', async () => {
    await takeRoleSettings();
    const lacking = open();
    await lacking.checkSettings();
    await lacking.checkSettings();
    expect(lacking.missing).toHaveLength(1);
    const [{ missing, remedy } = { missing: [], remedy: '' }] = lacking.missing;
    expect([...missing].sort()).toEqual([...settingNames].sort());
    expect(remedy).toContain(`in database ${escapeIdentifier(name)} set statement_timeout = '10000'`);
    await database.sql(remedy);
    const mended = open();
    await mended.checkSettings();
    expect(mended.missing).toEqual([]);
  });

  it('is logged by the API at startup', async () => {
    await takeRoleSettings();
    const api = await startTestApi({ database, databaseUrl: database.directUrl });
    try {
      await eventually(() => expect(api.log.join('\n')).toContain('database role lacks settings'));
      const line = api.log.find((entry) => entry.includes('database role lacks settings')) ?? '';
      expect(line).toContain('statement_timeout');
      expect(line).toContain('alter role');
    } finally {
      await api.close();
    }
  });

  it('runs each statement under its limits, within a transaction and without', async () => {
    await takeRoleSettings();
    const { orm } = open({ statementTimeoutMs: 700 });
    const expected = { sent: 'a', limit: '700ms', plans: 'force_generic_plan' };
    expect(await row(orm.em.fork(), limitOf, ['a'])).toEqual(expected);
    expect(await inTransaction(orm, async (em) => row(em, limitOf, ['a']))).toEqual(expected);
    const sleep = row(orm.em.fork(), 'select pg_sleep($1)', [60]);
    await expect(sleep).rejects.toMatchObject({ code: '57014' });
    expect(await row(orm.em.fork(), limitOf, ['a'])).toEqual(expected);
  });

  it('reads what others commit, within a transaction and without, except in a snapshot', async () => {
    await takeRoleSettings();
    const { orm } = open();
    const levelOf = `select current_setting('transaction_isolation') as level where $1::boolean`;
    const read = async (em: EntityManager) => row(em, levelOf, [true]);
    expect(await read(orm.em.fork())).toEqual({ level: 'read committed' });
    expect(await inTransaction(orm, read)).toEqual({ level: 'read committed' });
    expect(await inSnapshot(orm.em, read)).toEqual({ level: 'repeatable read' });
  });

  it('commits a statement without a transaction, and reports the failure of one', async () => {
    await takeRoleSettings();
    await database.sql('create table written (id int primary key)');
    const { orm } = open();
    const write = async () => rows(orm.em.fork(), 'insert into written values ($1)', [1]);
    await write();
    await expect(write()).rejects.toMatchObject({ code: '23505' });
    expect(await database.sql('select id from written')).toEqual([{ id: 1 }]);
  });
});
