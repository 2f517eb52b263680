import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { PipelinedDialect } from './dialect.ts';
import { migrations } from './migrations/list.ts';
import { migrationTable } from './pending-migrations.ts';
import { migrationPlannerSettings } from './planner.ts';
import { openPool } from './pool.ts';
import { setRoleSettings } from './role-settings.ts';
import { SessionSettings, setLocal } from './session-settings.ts';
import type { Settings } from './settings.ts';

/** Key of the advisory lock that migrating processes share. */
const migrationLock = 7_316_482_905;

/** Migrations, and the wait for their lock, have no time limit. */
const unlimited: Settings = {
  ...migrationPlannerSettings,
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/** Called with the number of finished and of pending migrations; first with 0 finished. Not called when none is pending. */
export type OnMigrated = (done: number, pending: number) => void;

export interface Migrated {
  /** The statement that an administrator must run when the role may not change its own settings. */
  readonly refusedSettings: string | undefined;
}

/**
 * Migrates the schema and sets the settings of the connection's role. Idempotent; concurrent processes wait for each
 * other. The lock belongs to a transaction, so that it works behind a pooler.
 */
export async function migrateDatabase(
  databaseUrl: string,
  onMigrated: OnMigrated = () => undefined,
): Promise<Migrated> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // A lost connection rejects the running query; without a listener the error event would end the process.
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    await guard.query(`begin${setLocal(Object.entries(unlimited))}`);
    await guard.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await runMigrations(databaseUrl, onMigrated);
    const refusedSettings = await setRoleSettings(guard);
    await guard.query('commit');
    return { refusedSettings };
  } finally {
    await guard.end();
  }
}

async function runMigrations(databaseUrl: string, onMigrated: OnMigrated): Promise<void> {
  const pool = openPool({ connectionString: databaseUrl, max: 2 }, () => undefined);
  const settings = new SessionSettings(unlimited, () => undefined);
  const orm = new MikroORM({
    clientUrl: databaseUrl,
    driverOptions: new PipelinedDialect(pool, { settings, statementNames: false, unnamed: 0 }),
    entities: [],
    ensureDatabase: false,
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: migrationTable,
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
