import { databaseTime } from '../domain/database-time.ts';
import { createDayPartitions } from '../domain/maintenance/day-partitions.ts';
import { noticeRestore } from '../domain/restores/epochs.ts';
import { showingProgress, type Show } from '../local/progress.ts';
import { StartFailure } from '../local/start-failure.ts';
import { isForbidden } from '../platform/database/failures.ts';
import { migrateDatabase, type Migrated, type MigrateOptions } from '../platform/database/migrate.ts';
import type { MigrationProgress } from '../platform/database/run-migrations.ts';
import { withDatabase } from './database.ts';

/**
 * Migrates the database and shows the progress: which migration runs, of how many, and what it waits for. Shows nothing
 * when none is pending. Throws a StartFailure when the role may not change the schema.
 */
export async function showMigrations(
  databaseUrl: string,
  options: MigrateOptions,
  show: Show,
): Promise<Migrated> {
  let step = 'waiting for another process that is migrating the database';
  let count = 0;
  const migrated = await showingProgress(
    show,
    () => step,
    async () =>
      migrateDatabase(
        databaseUrl,
        (progress) => {
          if (count === 0) show(`Migrating the database: ${progress.pending} migrations …`);
          count = progress.pending;
          step = stepOf(progress);
        },
        options,
      ).catch((error: unknown) => {
        throw isForbidden(error) ? new StartFailure(forbidden, { cause: error }) : error;
      }),
  );
  if (count > 0) show(`The database is migrated: ${count} of ${count} migrations.`);
  await createFirstDays(databaseUrl);
  // Before an API assigns keys that links of the lost database contain.
  const epoch = await withDatabase(databaseUrl, async (orm) => noticeRestore(orm.em.fork()));
  if (epoch !== undefined) show(`A restore was detected. Webhooks carry the epoch ${epoch} from now on.`);
  return migrated;
}

/**
 * Creates the next days' partitions, as workers do, before an API writes: a new or a restored database has none of them.
 * Leaves them to the workers where the role may not create any.
 */
async function createFirstDays(databaseUrl: string): Promise<void> {
  try {
    await withDatabase(databaseUrl, async (orm) => createDayPartitions(orm, await databaseTime(orm)));
  } catch (error) {
    if (!isForbidden(error)) throw error;
  }
}

const forbidden =
  'The role may not change the schema. Run migrate as the owner of the database and its tables. ' +
  'If API and worker have another role, DATABASE_RUNTIME_ROLE names it.';

function stepOf({ name, waiting, done, pending }: MigrationProgress): string {
  if (name === undefined) return 'setting up roles and partitions';
  const step = `${done + 1} of ${pending} migrations: ${name}`;
  return waiting ? `${step}, waiting for locks of other sessions` : step;
}
