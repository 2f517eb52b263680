import { setTimeout } from 'node:timers/promises';
import { MikroORM } from '@mikro-orm/postgresql';
import { Migrator, type Migration } from '@mikro-orm/migrations';
import type { ClientBase } from 'pg';
import { PipelinedDialect } from './dialect.ts';
import { migrationTable } from './pending-migrations.ts';
import { migrationPlannerSettings } from './planner.ts';
import { openPool } from './pool.ts';
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

/** What migrations and the wait for their turn have no limit of. */
export const unlimited: Settings = {
  ...migrationPlannerSettings,
  statement_timeout: '0',
  idle_in_transaction_session_timeout: '0',
};

/**
 * Of each transaction: a statement that waits for a table's lock keeps every later call on that table waiting. So it gives
 * up after 2 s, lets them pass, and tries again.
 */
export const transactionSettings: Settings = { ...unlimited, lock_timeout: '2000' };

/** About 5 minutes, within which a backup or a long statement ends. */
const maxAttempts = 90;

/** Lock not available, deadlock detected. Both roll the transaction back. */
const lockFailures: ReadonlySet<unknown> = new Set(['55P03', '40P01']);

/** Runs `act`, a whole transaction, until it gets its locks; max 90 attempts, each followed by a pause of 1 to 2 s. */
export async function retryLocks<Result>(
  act: () => Promise<Result>,
  onWaiting: (attempt: number) => void = () => undefined,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (!lockFailures.has((error as { code?: unknown }).code) || attempt === maxAttempts) throw error;
      onWaiting(attempt);
      await setTimeout(1_000 + Math.random() * 1_000);
    }
  }
}

/**
 * Runs what is pending of `list`, each migration in a transaction of its own or, where it says so, in none. A failure keeps the finished
 * ones. `beforeEach` stops the run by rejecting.
 */
export async function runMigrations(
  databaseUrl: string,
  list: readonly ListedMigration[],
  onProgress: OnProgress,
  beforeEach: () => Promise<void>,
): Promise<void> {
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
  } finally {
    await orm.close();
  }
}

function openMigrator(databaseUrl: string, list: readonly ListedMigration[]): MikroORM {
  const pool = openPool({ connectionString: databaseUrl, max: 1 }, () => undefined, unlimitSession);
  const settings = { local: setLocal(Object.entries(transactionSettings)) };
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
 * Statements outside a transaction take their settings from the session. A session behind a pooler is also others': it keeps
 * its settings, and PostgreSQL reports another process id than the pooler does.
 */
async function unlimitSession(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (rows[0]?.pid !== Reflect.get(client, 'processID')) return;
  await client.query(
    Object.entries(unlimited)
      .map(([name, value]) => `set ${name} = '${value}'`)
      .join('; '),
  );
}
