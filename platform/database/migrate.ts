import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { migrations } from './migrations/list.ts';
import { setRoleSettings } from './role-settings.ts';
import {
  retryLocks,
  runMigrations,
  transactionSettings,
  unlimited,
  type ListedMigration,
  type OnProgress,
} from './run-migrations.ts';
import { grantRuntimeRole } from './runtime-role.ts';
import { setLocal } from './session-settings.ts';
import type { Settings } from './settings.ts';

/** Key of the advisory lock that migrating processes share. Up to release 0.2.0 it was 7,316,482,905. */
const migrationLock = 7_316_482_906;

const lockPollMs = 250;

export interface MigrateOptions {
  /** The role of API and worker, where it is not the one that migrates; see `grantRuntimeRole`. */
  readonly runtimeRole?: string | undefined;
  /** Retention of audit entries. Omitted: as stored, at first 365. */
  readonly auditRetentionDays?: number | undefined;
  /** Instead of the product's; for tests. */
  readonly list?: readonly ListedMigration[];
}

export interface Migrated {
  /** The statements that an administrator must run when the role may not set these settings. */
  readonly refusedSettings: string | undefined;
}

/**
 * Migrates the schema and sets the settings of the connection's role and of the runtime role. Idempotent: after a failure or a crash, run
 * it again. Concurrent processes wait for each other. The lock belongs to a transaction, so that it works behind a pooler.
 */
export async function migrateDatabase(
  databaseUrl: string,
  onProgress: OnProgress = () => undefined,
  { list = migrations, ...options }: MigrateOptions = {},
): Promise<Migrated> {
  return withClient(databaseUrl, async (guard) => {
    await beginWith(guard, unlimited);
    await lockMigrations(guard);
    await runMigrations(databaseUrl, list, onProgress, async () => void (await guard.query('select')));
    return retryLocks(async () => setUp(databaseUrl, options));
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
  client.query(`begin${setLocal(Object.entries(settings))}`);

/**
 * Polls: a statement that waits has a snapshot, for whose end the holder's `create index concurrently` would wait. A statement
 * with a parameter would keep its snapshot, too: its portal stays open in the transaction until the next statement.
 */
async function lockMigrations(guard: Client): Promise<void> {
  const statement = `select pg_try_advisory_xact_lock(${String(migrationLock)}) as locked`;
  for (;;) {
    const { rows } = await guard.query<{ locked: boolean }>(statement);
    if (rows[0]?.locked === true) return;
    await setTimeout(lockPollMs);
  }
}

/** What each run brings up to date, in one transaction. */
async function setUp(
  databaseUrl: string,
  { runtimeRole, auditRetentionDays }: MigrateOptions,
): Promise<Migrated> {
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
    return { refusedSettings: statements.length === 0 ? undefined : statements.join(' ') };
  });
}

/** Creates the partitions of the first entries; the worker creates later ones. A role that may not create them does not. */
async function createFirstPartitions(client: Client): Promise<void> {
  const { rows } = await client.query<{ may: boolean }>(
    `select has_function_privilege('create_audit_partitions()', 'execute') as may`,
  );
  if (rows[0]?.may === true) await client.query('select create_audit_partitions()');
}
