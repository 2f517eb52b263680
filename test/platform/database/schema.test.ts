import { afterAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '../../../platform/database/migrate.ts';
import { migrations } from '../../../platform/database/migrations/list.ts';
import { aDatabase, anEmptyDatabase, type TestDatabase } from '../../support/database.ts';

const database = await aDatabase();
afterAll(() => database.drop());

const schemaOf = async (of: TestDatabase) =>
  of.sql(
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = 'public'::regnamespace order by 1, 2`,
  );

describe('migrating', () => {
  it('a second time changes nothing', async () => {
    const mine = await aDatabase();
    try {
      const before = [await schemaOf(mine), await mine.sql('select * from schema_migration')];
      await migrateDatabase(mine.url);
      expect([await schemaOf(mine), await mine.sql('select * from schema_migration')]).toEqual(before);
    } finally {
      await mine.drop();
    }
  });

  it('in concurrent processes runs each migration once', async () => {
    const mine = await anEmptyDatabase();
    try {
      await Promise.all([1, 2, 3].map(async () => migrateDatabase(mine.url)));
      expect(await mine.sql('select name from schema_migration')).toHaveLength(migrations.length);
      expect(await schemaOf(mine)).toEqual(await schemaOf(database));
    } finally {
      await mine.drop();
    }
  });
});

describe('every table', () => {
  const deploymentWide = [
    'audit_entry',
    'audit_retention',
    'json_name_build',
    // The job that deletes a key outlives it and belongs to the key's workspace.
    'key_deletion',
    'sweep_step',
    'deletion_journal_file',
    'failed_credentials',
    'console_session',
    'console_code',
    'process',
    'log_level',
    'lease',
    'restore_state',
    'operator_token',
    'workspace',
    'api_key',
    'signing_key',
    'schema_migration',
    'idempotency',
  ];
  // Read only by a job, an organization or a delivery that was found by its tenant.
  const ofAParent = ['delivery_item', 'id_reservation', 'user_deletion_organization', 'event_user'];

  it('of customer data contains the tenant', async () => {
    const without = await database.sql<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not exists (select from pg_inherits where inhrelid = c.oid) and not exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'api_key_id')
       order by 1`,
    );
    expect(without.map(({ name }) => name)).toEqual([...deploymentWide, ...ofAParent].sort());
  });

  it('has an index for each foreign key, so that deleting a parent scans no table', async () => {
    const missing = await database.sql<{ key: string }>(
      `select f.conrelid::regclass || '.' || a.attname as key
       from pg_constraint f join pg_attribute a on a.attrelid = f.conrelid and a.attnum = f.conkey[1]
       where f.contype = 'f' and f.connamespace = 'public'::regnamespace
         and not exists (select from pg_index i where i.indrelid = f.conrelid and i.indkey[0] = f.conkey[1])`,
    );
    expect(missing).toEqual([]);
  });

  it('compares customers’ ids byte by byte', async () => {
    const others = await database.sql<{ column: string }>(
      `select c.relname || '.' || a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
         join pg_collation l on l.oid = a.attcollation
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname ~ 'ext_id$|entity_id$'
         and l.collname <> 'C'`,
    );
    expect(others).toEqual([]);
  });
});
