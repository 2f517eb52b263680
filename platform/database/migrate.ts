import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { Client } from 'pg';
import { PipelinedDialect } from './dialect.ts';
import { migrations } from './migrations/list.ts';
import { migrationTable } from './pending-migrations.ts';
import { migrationPlannerSettings } from './planner.ts';
import { openPool } from './pool.ts';
import { setRoleSettings } from './role-settings.ts';
import { grantRuntimeRole } from './runtime-role.ts';
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

export interface MigrateOptions {
  /** The role of API and worker, where it is not the one that migrates; see `grantRuntimeRole`. */
  readonly runtimeRole?: string | undefined;
  /** Retention of audit entries. Omitted: as stored, at first 365. */
  readonly auditRetentionDays?: number | undefined;
}

export interface Migrated {
  /** The statements that an administrator must run when the role may not set these settings. */
  readonly refusedSettings: string | undefined;
}

/**
 * Migrates the schema and sets the settings of the connection's role and of the runtime role. Idempotent; concurrent processes wait for each
 * other. The lock belongs to a transaction, so that it works behind a pooler.
 */
export async function migrateDatabase(
  databaseUrl: string,
  onMigrated: OnMigrated = () => undefined,
  { runtimeRole, auditRetentionDays }: MigrateOptions = {},
): Promise<Migrated> {
  const guard = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // A lost connection rejects the running query; without a listener the error event would end the process.
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    await guard.query(`begin${setLocal(Object.entries(unlimited))}`);
    await guard.query('select pg_advisory_xact_lock($1)', [migrationLock]);
    await runMigrations(databaseUrl, onMigrated);
    const refused = [await setRoleSettings(guard)];
    await createFirstPartitions(guard);
    if (auditRetentionDays !== undefined)
      await guard.query('update audit_retention set days = $1 where days <> $1', [auditRetentionDays]);
    if (runtimeRole !== undefined) {
      await grantRuntimeRole(guard, runtimeRole);
      refused.push(await setRoleSettings(guard, runtimeRole));
    }
    await guard.query('commit');
    const statements = refused.filter((statement) => statement !== undefined);
    return { refusedSettings: statements.length === 0 ? undefined : statements.join(' ') };
  } finally {
    await guard.end();
  }
}

/** Creates the partitions of the first entries; the worker creates later ones. A role that may not create them does not. */
async function createFirstPartitions(client: Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_function_privilege('create_audit_partitions()', 'execute') as may`,
  );
  if (rows[0]?.may === true) await client.query('select create_audit_partitions()');
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
