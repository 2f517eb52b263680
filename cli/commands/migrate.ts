import { readConfiguration } from '../../platform/config/read-configuration.ts';
import type { Output } from '../output.ts';
import { showMigrations } from '../show-migrations.ts';
import { databaseUrlOf, type Surroundings } from '../settings.ts';

export async function migrate(surroundings: Surroundings): Promise<Output> {
  const configuration = readConfiguration(surroundings.environment, 'cli');
  const { databaseRuntimeRole: runtimeRole, auditRetentionDays } = configuration;
  // A pooler's sessions keep their limit on statements, and an index of a large table takes longer.
  const url = configuration.databaseDirectUrl ?? databaseUrlOf(surroundings);
  const migrated = await showMigrations(url, { runtimeRole, auditRetentionDays }, console.error);
  const { names, refusedSettings } = migrated;
  return {
    lines: [
      ...(names.length === 0 ? ['The database is up to date.'] : names.map((name) => `Migrated: ${name}`)),
      ...(refusedSettings === undefined ? [] : [refusal(refusedSettings)]),
    ],
    json: { migrated: names, ...(refusedSettings !== undefined && { refusedSettings }) },
  };
}

/** Returns the error message. `statement` is what an administrator must run. */
export const refusal = (statement: string): string =>
  `PostgreSQL refused the settings of a role. Run as an administrator: ${statement}`;
