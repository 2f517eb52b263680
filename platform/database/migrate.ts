import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { beginReadCommitted } from './begin-read-committed.ts';
import { migrations } from './migrations/list.ts';
import { migrationTable } from './pending-migrations.ts';
import { setRoleSettings } from './role-settings.ts';
import {
  retryLocks,
  runMigrations,
  transactionSettings,
  unlimited,
  unlimitTransactions,
  type ListedMigration,
  type OnProgress,
} from './run-migrations.ts';
import { grantRuntimeRole } from './runtime-role.ts';
import { setLocal } from './session-settings.ts';
import type { Settings } from './settings.ts';

/** Key of the advisory lock that migrating processes share. Release 0.2.0 and earlier use 7,316,482,905. */
const migrationLock = 7_316_482_906;

const lockPollMs = 250;

export interface MigrateOptions {
  /** The role of API and worker, where it is not the one that migrates; see `grantRuntimeRole`. */
  readonly runtimeRole?: string | undefined;
  /** Retention of audit entries. Omitted: as stored, at first 365. */
  readonly auditRetentionDays?: number | undefined;
  /** Replaces the product's migrations in tests. */
  readonly list?: readonly ListedMigration[];
}

export interface Migrated {
  /** The names of the migrations that this run executed. */
  readonly names: readonly string[];
  /** The statements that an administrator must run when the role may not set these settings. */
  readonly refusedSettings: string | undefined;
}

/**
 * Migrates the schema and the settings of the connection's role and the runtime role. Idempotent: run it again after a
 * failure or a crash. Concurrent processes wait for each other. A transaction holds the lock, which works behind a
 * pooler.
 */
export async function migrateDatabase(
  databaseUrl: string,
  onProgress: OnProgress = () => undefined,
  { list = migrations, ...options }: MigrateOptions = {},
): Promise<Migrated> {
  return withClient(databaseUrl, async (guard) => {
    await beginWith(guard, unlimited);
    await requireUtf8(guard);
    await lockMigrations(guard);
    const beforeEach = async (): Promise<void> => void (await guard.query('select'));
    const names = await runMigrations(databaseUrl, list, onProgress, beforeEach);
    return { names, refusedSettings: await retryLocks(async () => setUp(databaseUrl, options)) };
  });
}

async function withClient<Result>(url: string, act: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  // A lost connection rejects the running query; without a listener the error event would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

const beginWith = async (client: Client, settings: Settings): Promise<unknown> =>
  client.query(beginReadCommitted(setLocal(Object.entries(settings)) + unlimitTransactions(true)));

/** Throws when a new database has another encoding, which cannot store every text, or counts bytes as characters. */
async function requireUtf8(client: Client): Promise<void> {
  const { rows } = await client.query<{ encoding: string }>(
    `select current_setting('server_encoding') as encoding where to_regclass('${migrationTable}') is null`,
  );
  const encoding = rows[0]?.encoding ?? 'UTF8';
  if (encoding !== 'UTF8')
    throw new Error(`The encoding of the database is ${encoding} and must be UTF8: create another database.`);
}

/**
 * Polls, because a statement that waits keeps a snapshot, and `create index concurrently` of the lock's holder waits until
 * older snapshots end. The statement has no parameter: its open portal would keep the snapshot until the next statement.
 */
async function lockMigrations(guard: Client): Promise<void> {
  const statement = `select pg_try_advisory_xact_lock(${String(migrationLock)}) as locked`;
  for (;;) {
    const { rows } = await guard.query<{ locked: boolean }>(statement);
    if (rows[0]?.locked === true) return;
    await pause(lockPollMs);
  }
}

/** Updates role settings, audit retention and grants in one transaction. Every run does this. Returns refused settings. */
async function setUp(
  databaseUrl: string,
  { runtimeRole, auditRetentionDays }: MigrateOptions,
): Promise<Migrated['refusedSettings']> {
  return withClient(databaseUrl, async (client) => {
    await beginWith(client, transactionSettings);
    const refused = [await setRoleSettings(client)];
    await createFirstPartitions(client);
    if (auditRetentionDays !== undefined)
      await client.query('update audit_retention set days = $1 where days <> $1', [auditRetentionDays]);
    if (runtimeRole !== undefined) {
      await grantRuntimeRole(client, runtimeRole);
      refused.push(await setRoleSettings(client, runtimeRole));
    }
    await client.query('commit');
    const statements = refused.filter((statement) => statement !== undefined);
    return statements.length === 0 ? undefined : statements.join(' ');
  });
}

/** Creates the first audit partitions if the role may; the worker creates later ones. */
async function createFirstPartitions(client: Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_function_privilege('create_audit_partitions()', 'execute') as may`,
  );
  if (rows[0]?.may === true) await client.query('select create_audit_partitions()');
}
