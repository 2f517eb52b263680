import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { auditEntriesAreProtected } from '../../../domain/audit/audit-protection.ts';
import { entities } from '../../../domain/entities.ts';
import { maintainAuditPartitions } from '../../../domain/maintenance/audit-partitions.ts';
import { maintainDayPartitions } from '../../../domain/maintenance/day-partitions.ts';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { openDatabase, type Database } from '../../../platform/database/open-database.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aDatabase, type TestDatabase } from '../../support/database.ts';
import { aTenant } from '../../support/factories.ts';
import { directUrl, statementNames } from '../../support/pooler.ts';
import { aRuntimeRole, type RuntimeRole } from '../../support/runtime-role.ts';

let database: TestDatabase;
/** URL of the role that migrates. */
let owner: Database;
/** URL of the role of API and worker. */
let runtime: Database;
let role: RuntimeRole;
let api: TestApi;

const opened = (url: string): Database =>
  openDatabase({ url, poolSize: 2, statementTimeoutMs: 60_000, plansOnce: false, entities, statementNames });

beforeAll(async () => {
  database = await aDatabase();
  role = await aRuntimeRole(database, { auditRetentionDays: 365 });
  owner = opened(database.url);
  runtime = opened(role.url);
  api = await startTestApi({ database, databaseUrl: role.url });
  await (await aTenant(api)).ok('/v2/workspace/domains/add', { domains: ['example.com'] });
});
afterAll(async () => {
  await api.close();
  await owner.close();
  await runtime.close();
  await role.drop();
  await database.drop();
});

const partitions = async (): Promise<string[]> => {
  const found = await database.sql<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entry'::regclass order by 1`,
  );
  return found.map(({ name }) => name);
};

const monthOf = (ahead: number): string => {
  const now = new Date();
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead));
  return month.toISOString().slice(0, 7);
};
const partitionOf = (month: string): string => `audit_entry_${month.replace('-', '')}`;

/** Returns the statement's error under another role; undefined when it succeeds. */
async function refusalOf(url: string, statement: string): Promise<string | undefined> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  } finally {
    await client.end();
  }
}

const insufficientPrivilege = '42501';

const changes = [
  `update audit_entry set action = 'x'`,
  'delete from audit_entry',
  'truncate audit_entry',
  `update ${partitionOf(monthOf(0))} set action = 'x'`,
  `delete from ${partitionOf(monthOf(0))}`,
  `truncate ${partitionOf(monthOf(0))}`,
  'truncate audit_entry_default',
];

describe('the role of API and worker', () => {
  it.each([
    ...changes,
    'drop table audit_entry',
    `drop table ${partitionOf(monthOf(0))}`,
    `alter table audit_entry detach partition ${partitionOf(monthOf(0))}`,
    'alter table audit_entry disable trigger all',
    'drop trigger audit_entry_kept on audit_entry',
    'drop function keep_audit_entry() cascade',
    `alter function drop_expired_audit_partitions() set search_path = pg_temp`,
    `update audit_retention set days = 1`,
    `insert into audit_entry (at, actor_kind, action, outcome) values (now() - interval '1 day', 'command', 'x', 'denied')`,
    'delete from schema_migration',
    'create table other (id int)',
  ])('may not: %s', async (statement) => {
    expect(await refusalOf(role.url, statement)).toBe(insufficientPrivilege);
  });

  it.each([
    `select create_day_partition('audit_entry', current_date, 100)`,
    `select drop_day_partition('audit_entry', current_date)`,
  ])('may not partition audit entries by day: %s', async (statement) => {
    expect(await refusalOf(role.url, statement)).toBe('P0001');
  });

  it('cannot replace the retention by a temporary table', async () => {
    const before = await partitions();
    // A temporary table needs a session.
    const client = new Client({ connectionString: directUrl(role.url) });
    await client.connect();
    await client.query('create temporary table audit_retention (id int, days int)');
    await client.query('insert into audit_retention values (1, -1000)');
    await client.query('select drop_expired_audit_partitions()');
    await client.end();
    expect(await partitions()).toEqual(before);
  });

  it('creates and drops the partitions of events', async () => {
    await maintainDayPartitions(runtime.orm, Date.UTC(2030, 5, 15), 30);
    await maintainDayPartitions(runtime.orm, Date.UTC(2030, 7, 15), 30);
    const events = await database.sql<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'event'::regclass and inhrelid::regclass::text like '%2030%'`,
    );
    expect(events.map(({ name }) => name)).toContain('event_20300815');
    expect(events.map(({ name }) => name)).not.toContain('event_20300615');
  });

  it('is reported to protect the audit log, unlike the owner', async () => {
    expect(await auditEntriesAreProtected(runtime.orm.em.fork())).toBe(true);
    expect(await auditEntriesAreProtected(owner.orm.em.fork())).toBe(false);
  });
});

describe('the one role of a deployment', () => {
  it.each(changes)('is refused by a trigger: %s', async (statement) => {
    expect(await refusalOf(database.url, statement)).toBe(insufficientPrivilege);
  });
});

describe('the partitions of the audit log', () => {
  it('exist for this month and the next two', async () => {
    expect(await partitions()).toEqual([
      ...[0, 1, 2].map((ahead) => partitionOf(monthOf(ahead))),
      'audit_entry_default',
    ]);
  });

  it('are dropped when their last day is older than the retention, and old rows of the default partition are deleted', async () => {
    for (const ahead of [-14, -13, -12, -11]) {
      const [from, to] = [monthOf(ahead), monthOf(ahead + 1)];
      await database.sql(
        `create table ${partitionOf(from)} partition of audit_entry for values from ('${from}-01 00:00+00') to ('${to}-01 00:00+00')`,
      );
    }
    const old = `insert into audit_entry (at, actor_kind, action, outcome) values (now() - $1::interval, 'command', $2, 'succeeded')`;
    await database.sql(old, ['3 years', 'very_old.entry']);
    await database.sql(old, ['300 days', 'young.entry']);
    await maintainAuditPartitions(runtime.orm);
    const left = await partitions();
    expect(left).not.toContain(partitionOf(monthOf(-14)));
    expect(left).toContain(partitionOf(monthOf(-11)));
    const entries = await database.sql<{ action: string }>(
      `select action from audit_entry where action like '%.entry'`,
    );
    expect(entries).toEqual([{ action: 'young.entry' }]);
  });

  it('are kept for the retention that migrate has stored', async () => {
    await migrateDatabase(database.url, undefined, { auditRetentionDays: 30 });
    await maintainAuditPartitions(runtime.orm);
    expect(await partitions()).not.toContain(partitionOf(monthOf(-11)));
    await migrateDatabase(database.url);
    expect(await database.sql('select days from audit_retention')).toEqual([{ days: 30 }]);
  });
});

describe('migrate', () => {
  it('refuses its own role as the role of API and worker', async () => {
    const [{ user } = { user: '' }] = await database.sql<{ user: string }>('select current_user as user');
    await expect(migrateDatabase(database.url, undefined, { runtimeRole: user })).rejects.toThrow(
      'DATABASE_RUNTIME_ROLE names the role that migrates.',
    );
  });
});
