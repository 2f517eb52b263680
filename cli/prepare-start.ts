import { refusal } from './commands/migrate.ts';
import { readConfiguration } from '../platform/config/configuration.ts';
import { migrateDatabase, type MigrateOptions } from '../platform/database/migrate.ts';
import { isDemoCredentials } from '../local/local-secrets.ts';
import type { DemoCredentials } from '../local/local-secrets.ts';
import { showingProgress } from '../local/progress.ts';
import { messageOf } from '../local/start-failure.ts';
import { ensureDemoWorkspace } from './demo-workspace.ts';

/**
 * A child process of `npm start`: receives the stored demo credentials, migrates the database, and sends back the demo
 * workspace's credentials or an error message. A separate program keeps the ORM out of the supervisor's memory.
 */
process.once('disconnect', () => process.exit(1));
process.once('message', (previous: unknown) => {
  void prepare(previous)
    .catch(messageOf)
    .then((response) => process.send?.(response, () => process.exit(0)));
});

/** Shows nothing when no migration is pending. */
async function showMigrations(databaseUrl: string, options: MigrateOptions): Promise<void> {
  const show = (line: string) => console.error(line);
  let step = 'waiting for another process that is migrating the database';
  let count = 0;
  let refusedSettings: string | undefined;
  await showingProgress(
    show,
    () => step,
    async () => {
      const onMigrated = (done: number, pending: number): void => {
        if (done === 0) show(`Migrating the database: ${pending} migrations …`);
        step = `${done} of ${pending} migrations`;
        count = pending;
      };
      ({ refusedSettings } = await migrateDatabase(databaseUrl, onMigrated, options));
    },
  );
  if (count > 0) show(`The database is migrated: ${count} of ${count} migrations.`);
  if (refusedSettings !== undefined) show(refusal(refusedSettings));
}

async function prepare(previous: unknown): Promise<DemoCredentials> {
  const { databaseUrl, encryptionKeys, auditRetentionDays } = readConfiguration(process.env, 'worker');
  await showMigrations(databaseUrl, { auditRetentionDays });
  return await ensureDemoWorkspace({
    databaseUrl,
    encryptionKeys,
    previous: isDemoCredentials(previous) ? previous : undefined,
  });
}
