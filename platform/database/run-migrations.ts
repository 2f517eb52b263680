import { setTimeout as pause } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import type { ClientBase } from 'pg';
import { codeOf } from '../process/error-code.ts';
import { PipelinedDialect } from './dialect.ts';
import { migrationTable } from './pending-migrations.ts';
import { migrationPlannerSettings } from './planner.ts';
import { backendPid, openPool } from './pool.ts';
import { setLocal } from './session-settings.ts';
import type { Settings } from './settings.ts';

/** A migration and the name that its row has in the database. */
export interface ListedMigration {
  readonly name: string;
  readonly class: new (...parameters: ConstructorParameters<typeof Migration>) => Migration;
}

export interface MigrationProgress {
  /** The migration that runs; undefined before the first. */
  readonly name: string | undefined;
  /** Whether it waits because another session holds a lock that it needs. */
  readonly waiting: boolean;
  /** Number of finished migrations. */
  readonly done: number;
  /** Number of migrations of this run. */
  readonly pending: number;
}

/** Called as each migration begins, when it waits, and after the last; not called when none is pending. */
export type OnProgress = (progress: MigrationProgress) => void;

/**
 * Migrations, and the wait for their turn, have no time limits. The locks of a host that has vanished end after 60 s:
 * seconds until the first check of the connection and between checks, and their max number.
 */
export const unlimited: Settings = {
  ...migrationPlannerSettings,
  tcp_keepalives_idle: '30',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  default_transaction_isolation: 'read committed',
};

/**
 * SQL, after a semicolon, for a transaction (`true`) or the session: removes the time limit of transactions, which
 * PostgreSQL has from version 17 on.
 */
export const unlimitTransactions = (local: boolean): string =>
  `; select set_config(name, '0', ${String(local)}) from pg_settings where name = 'transaction_timeout'`;

/** Limits each wait for a table's lock to 2 s, because later calls on the table queue behind it. */
export const transactionSettings: Settings = { ...unlimited, lock_timeout: '2000' };

/** About 5 minutes, within which a backup or a long statement ends. */
const maxAttempts = 90;

/** Lock not available, deadlock detected. Both roll the transaction back. */
const lockFailures: ReadonlySet<string> = new Set(['55P03', '40P01']);

/** Runs `act`, a whole transaction, until it gets its locks: max 90 attempts, 1 to 2 s apart. */
export async function retryLocks<Result>(
  act: () => Promise<Result>,
  onWaiting: (attempt: number) => void = () => undefined,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!lockFailures.has(codeOf(error)) || attempt === maxAttempts) throw error;
      onWaiting(attempt);
      await pause(1_000 + Math.random() * 1_000);
    }
  }
}

/**
 * Runs the pending migrations of `list`, each in its own transaction unless it declares none. Finished ones persist
 * after a failure. `beforeEach` stops the run by rejecting. Returns their names.
 */
export async function runMigrations(
  databaseUrl: string,
  list: readonly ListedMigration[],
  onProgress: OnProgress,
  beforeEach: () => Promise<void>,
): Promise<readonly string[]> {
  const orm = openMigrator(databaseUrl, list);
  try {
    const names = (await orm.migrator.getPending()).map(({ name }) => name);
    const report = (name: string | undefined, done: number, waiting = false): void =>
      onProgress({ name, waiting, done, pending: names.length });
    orm.migrator.on('migrating', beforeEach);
    for (const [done, name] of names.entries()) {
      report(name, done);
      await retryLocks(
        async () => orm.migrator.up({ migrations: [name] }),
        () => report(name, done, true),
      );
    }
    if (names.length > 0) report(undefined, names.length);
    return names;
  } finally {
    await orm.close();
  }
}

function openMigrator(databaseUrl: string, list: readonly ListedMigration[]): MikroORM {
  const pool = openPool({ connectionString: databaseUrl, max: 1 }, { onConnect: unlimitSession });
  const settings = { local: setLocal(Object.entries(transactionSettings)) + unlimitTransactions(true) };
  const sending = { settings, plainOutside: true, names: undefined, unnamed: 0 };
  return new MikroORM({
    clientUrl: databaseUrl,
    driverOptions: new PipelinedDialect(pool, sending),
    entities: [],
    ensureDatabase: false,
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      tableName: migrationTable,
      migrationsList: [...list],
      snapshot: false,
      transactional: true,
      allOrNothing: false,
      silent: true,
    },
    logger: () => undefined,
  });
}

/**
 * Removes the session's limits for statements outside a transaction. Behind a pooler, which reports another process id
 * than PostgreSQL, the session keeps its settings: others use it too.
 */
async function unlimitSession(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (rows[0]?.pid !== backendPid(client)) return;
  await client.query(
    Object.entries(unlimited)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; ') + unlimitTransactions(false),
  );
}
