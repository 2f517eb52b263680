import { afterAll, describe, expect, it } from '@jest/globals';
import type { Selectable } from 'kysely';
import { MikroORM, UnderscoreNamingStrategy, type EntitySchema } from '@mikro-orm/postgresql';
import { entities } from '../../domain/entities.ts';
import { Job, jobStatusNumbers } from '../../domain/jobs/job.entity.ts';
import { tablesOf, type Tables } from '../../domain/tables.ts';
import { aDatabase } from '../support/database.ts';

/** Names constraints as PostgreSQL does when a migration gives no name. */
class PostgresNames extends UnderscoreNamingStrategy {
  override indexName(table: string, columns: string[], type: string): string {
    const suffixes: Readonly<Record<string, string>> = { foreign: 'fkey', unique: 'key' };
    return super.indexName(table, columns, (suffixes[type] ?? type) as 'index');
  }
}

const database = await aDatabase();
// Partitions by month, which `migrate` adds.
const months = await database.sql<{ name: string }>(
  `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_entry'::regclass`,
);
for (const { name } of months) if (!name.endsWith('_default')) await database.sql(`drop table ${name}`);
const orm = new MikroORM({
  clientUrl: database.url,
  entities: entities as readonly EntitySchema[] as EntitySchema[],
  namingStrategy: PostgresNames,
  // The migrator's own table, and tables that inherit their columns.
  schemaGenerator: { skipTables: ['schema_migration', /^(idempotency|provider_answer)_\d$/] },
});
afterAll(async () => {
  await orm.close();
  await database.drop();
});

/*
 * MikroORM 7.2 does not compare storage parameters (fillfactor, autovacuum), the storage of columns, sequences, and `nextval(…)` defaults. notification.audience, the only column with such a default, has `ignoreSchemaChanges('default')`.
 */
const difference = async () => {
  const statements = await orm.schema.getUpdateSchemaSQL({ wrap: false });
  // Only migrations declare functions and triggers, which test/domain/audit tests.
  return statements.replaceAll(/^drop (?:trigger|function) if exists .*\n*/gm, '');
};

describe('the schema that entities declare', () => {
  it('equals the schema that migrations create', async () => {
    expect(await difference()).toBe('');
  });

  // Cases share one database and run in order.
  it.each([
    ['an added column', 'alter table job add extra text', 'drop column "extra"'],
    ['a removed column', 'alter table crdt drop column session_id', 'add "session_id" text null'],
    ['a type', 'alter table crdt_event alter due_at type date', '"due_at" type timestamptz'],
    ['nullability', 'alter table job alter public_id drop not null', '"public_id" set not null'],
    ['a default', 'alter table delivery alter status drop default', '"status" set default 0'],
    [
      'a collation',
      'alter table folder alter name type text collate "POSIX"',
      '"name" type text collate "C"',
    ],
    ['an identity', 'alter table activity alter id drop identity', 'alter table "activity"'],
    ['an expression', 'alter table api_key alter public_id drop expression', 'alter table "api_key"'],
    ['an added index', 'create index another on outbox (event_at)', 'drop index "another"'],
    ['a removed index', 'drop index job_key', 'create index "job_key"'],
    [
      'the order of an index',
      `drop index migration_moved; create index migration_moved on migration (org_id, old_ext_id, job_id)
         where flipped_at is not null and released_at is null`,
      'drop index "migration_moved"',
    ],
    [
      'the predicate of an index',
      'drop index folder_parent; create index folder_parent on folder (parent_id)',
      'drop index "folder_parent"',
    ],
    [
      'the included columns of an index',
      `drop index agent_execution_status;
       create index agent_execution_status on agent_execution (api_key_id, status, started_at, id)`,
      'drop index "agent_execution_status"',
    ],
    [
      'a primary key',
      'alter table json_name drop constraint json_name_pkey, add primary key (kind, api_key_id, name_hash, block)',
      'json_name_pkey',
    ],
    [
      'uniqueness',
      'drop index document_ext; create index document_ext on document (org_id, ext_id)',
      'document_ext',
    ],
    [
      'a removed check',
      'alter table user_group drop constraint user_group_ext_id_check',
      'user_group_ext_id_check',
    ],
    [
      'a check',
      'alter table app_user drop constraint app_user_check, add constraint app_user_check check (ext_id is not null)',
      'app_user_check',
    ],
    [
      'a removed foreign key',
      'alter table preference drop constraint preference_user_id_fkey',
      'preference_user_id_fkey',
    ],
    [
      'the action of a foreign key',
      `alter table user_address drop constraint user_address_user_id_fkey,
         add constraint user_address_user_id_fkey foreign key (user_id) references app_user`,
      'user_address_user_id_fkey',
    ],
    ['an added table', 'create table other (id int primary key)', 'drop table if exists "other"'],
    ['a removed table', 'drop table staged_request', 'create table "staged_request"'],
    ['a partition', 'drop table event_user_default', 'event_user'],
  ])('differs from a database with another detail: %s', async (_what, change, expected) => {
    expect(await difference()).not.toContain(expected);
    await database.sql(change);
    expect(await difference()).toContain(expected);
  });
});

describe('a statement', () => {
  const tables = tablesOf(orm.em.fork());

  it('names tables and columns as the database does', () => {
    const { sql } = tables
      .selectFrom('key_config as c')
      .innerJoin('api_key as k', 'k.id', 'c.api_key_id')
      .select(['c.first_enabled_at', 'k.public_id'])
      .where('c.kind', '=', 'activity')
      .compile();
    expect(sql).toBe(
      'select "c"."first_enabled_at", "k"."public_id" from "key_config" as "c" ' +
        'inner join "api_key" as "k" on "k"."id" = "c"."api_key_id" where "c"."kind" = $1',
    );
  });

  it('may omit only generated columns and those with defaults', () => {
    const folder = { api_key_id: '1', org_id: '2', ext_id: 'f', name: 'F' };
    expect(tables.insertInto('folder').values(folder).compile().parameters).toHaveLength(4);
    // @ts-expect-error: `name` is missing.
    tables.insertInto('folder').values({ api_key_id: '1', org_id: '2', ext_id: 'f' });
  });

  it('compiles only with existing columns and values of their types', () => {
    const jobs = tables.selectFrom('job').where('status', '=', jobStatusNumbers.pending);
    expect(jobs.select('id').compile().parameters).toEqual([0]);
    // @ts-expect-error: no such column.
    jobs.select('workflow_id');
    // @ts-expect-error: no such status.
    jobs.where('status', '=', 9);
    // @ts-expect-error: a surrogate key is a string.
    jobs.where('api_key_id', '=', 1);
    // @ts-expect-error: no such table.
    tables.selectFrom('jobs');
  });

  it('returns every column that the entity declares', () => {
    const row: Selectable<Tables['job']> = {
      id: '1',
      api_key_id: '1',
      public_id: 'job_1',
      kind: 1,
      status: jobStatusNumbers.failed,
      org_id: null,
      organization_ext_id: null,
      request_id: null,
      request: null,
      progress: { done: 1, total: null },
      error: null,
      created_at: new Date(0),
      started_at: null,
      ended_at: null,
      late_at: null,
      next_sweep_at: new Date(0),
    };
    const { props } = orm.getMetadata().get(Job);
    expect(Object.keys(row)).toEqual(props.flatMap(({ fieldNames }) => fieldNames));
  });
});
