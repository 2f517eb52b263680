import { join } from 'node:path';
import { migrateDatabase } from '../platform/database/migrate.ts';
import { keepProcess } from '../local/pid-file.ts';
import { startPostgres } from '../local/postgres.ts';
import type { ClosingStack } from '../platform/process/closing-stack.ts';
import { pidFiles, type PrivateFolder } from './private-folder.ts';

export interface TestDatabaseOptions {
  /** The caller's database; undefined starts an embedded PostgreSQL in the folder. */
  readonly databaseUrl: string | undefined;
  readonly folder: PrivateFolder;
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Starts or migrates a database; returns its URL. Throws a StartFailure. */
export async function startTestDatabase(options: TestDatabaseOptions, parts: ClosingStack): Promise<string> {
  const url = options.databaseUrl ?? (await startEmbedded(options, parts));
  options.signal.throwIfAborted();
  options.onProgress('Migrating the database …');
  await migrateDatabase(url);
  return url;
}

async function startEmbedded(
  { folder, onProgress, signal }: TestDatabaseOptions,
  parts: ClosingStack,
): Promise<string> {
  const server = await startPostgres({
    directory: folder.postgres,
    database: 'steward',
    durable: false,
    onProgress,
    signal,
  });
  await parts.add(async () => await server.stop());
  await keepProcess(join(folder.root, pidFiles.postgres.name), server.pid);
  return server.url;
}
