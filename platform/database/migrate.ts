import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { sql } from 'kysely';
import { Client } from 'pg';
import { migrations } from './migrations/list.ts';
import type { EntityManager } from './orm.ts';
import { kyselyOf } from './statements.ts';

/** Any number: the same for every process that migrates. */
const migrationLock = 7_316_482_905;

const table = 'schema_migration';

/** Called with how many of the pending migrations have run: with 0 first, where any is pending. */
export type OnMigrated = (done: number, pending: number) => void;

/** Brings the schema up to date. Safe to run twice and from several processes at once: they wait for each other. */
export async function migrateDatabase(
  databaseUrl: string,
  onMigrated: OnMigrated = () => undefined,
): Promise<void> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // A connection lost while migrating rejects the query under way; without a listener it would end the process.
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    await guard.query('select pg_advisory_lock($1)', [migrationLock]);
    await runMigrations(databaseUrl, onMigrated);
  } finally {
    await guard.end();
  }
}

async function runMigrations(databaseUrl: string, onMigrated: OnMigrated): Promise<void> {
  const orm = new MikroORM({
    clientUrl: databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: table,
      migrationsList: [...migrations],
      snapshot: false,
      transactional: true,
      allOrNothing: true,
      silent: true,
    },
    logger: () => undefined,
  });
  try {
    const pending = (await orm.migrator.getPending()).length;
    let done = 0;
    orm.migrator.on('migrated', () => onMigrated((done += 1), pending));
    if (pending > 0) onMigrated(0, pending);
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}

/** Names of migrations that the database has not had; every one of them when it has had none. */
export async function pendingMigrations(em: EntityManager): Promise<string[]> {
  let done: readonly { readonly name: string }[];
  try {
    const names = sql<{ name: string }>`select name from ${sql.table(table)}`;
    done = (await names.execute(kyselyOf(em))).rows;
  } catch (error) {
    const undefinedTable = '42P01';
    if ((error as { code?: string }).code !== undefinedTable) throw error;
    done = [];
  }
  const names = new Set(done.map(({ name }) => name));
  return migrations.map(({ name }) => name).filter((name) => !names.has(name));
}
