import { refusal } from './commands/migrate.ts';
import { readConfiguration } from '../platform/config/configuration.ts';
import { migrateDatabase } from '../platform/database/migrate.ts';
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
async function showMigrations(databaseUrl: string): Promise<void> {
  const show = (line: string) => console.error(line);
  let step = 'waiting for another process that is migrating the database';
  let count = 0;
  let refusedSettings: string | undefined;
  await showingProgress(
    show,
    () => step,
    async () => {
      ({ refusedSettings } = await migrateDatabase(databaseUrl, (done, pending) => {
        if (done === 0) show(`Migrating the database: ${pending} migrations …`);
        step = `${done} of ${pending} migrations`;
        count = pending;
      }));
    },
  );
  if (count > 0) show(`The database is migrated: ${count} of ${count} migrations.`);
  if (refusedSettings !== undefined) show(refusal(refusedSettings));
}

async function prepare(previous: unknown): Promise<DemoCredentials> {
  const { databaseUrl, encryptionKeys } = readConfiguration(process.env, 'worker');
  await showMigrations(databaseUrl);
  return await ensureDemoWorkspace({
    databaseUrl,
    encryptionKeys,
    previous: isDemoCredentials(previous) ? previous : undefined,
  });
}
