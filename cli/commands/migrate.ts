import { readConfiguration } from '../../platform/config/configuration.ts';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import { withDatabase } from '../database.ts';
import type { Output } from '../output.ts';
import { databaseUrlOf, type Surroundings } from '../settings.ts';

export async function migrate(surroundings: Surroundings): Promise<Output> {
  const url = databaseUrlOf(surroundings);
  const pending = await withDatabase(url, async (_, database) => database.pendingMigrations());
  const { databaseRuntimeRole: runtimeRole, auditRetentionDays } = readConfiguration(
    surroundings.environment,
    'cli',
  );
  const { refusedSettings } = await migrateDatabase(url, undefined, { runtimeRole, auditRetentionDays });
  return {
    lines: [
      ...(pending.length === 0
        ? ['The database is up to date.']
        : pending.map((name) => `Migrated: ${name}`)),
      ...(refusedSettings === undefined ? [] : [refusal(refusedSettings)]),
    ],
    json: { migrated: pending, ...(refusedSettings !== undefined && { refusedSettings }) },
  };
}

/** `statement`: those that an administrator must run. */
export const refusal = (statement: string): string =>
  `PostgreSQL refused the settings of a role. Run as an administrator: ${statement}`;
