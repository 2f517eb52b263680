import { randomBytes } from 'node:crypto';
import { migrateDatabase } from '../../platform/database/migrate.ts';
import type { TestDatabase } from './database.ts';

/** A role of API and worker that owns no table, as `docs/audit-log.md` describes. */
export interface RuntimeRole {
  /** URL of the database for the role. */
  readonly url: string;
  /** Removes the role from the server. The test calls it before it drops the database. */
  readonly drop: () => Promise<void>;
}

export async function aRuntimeRole(
  database: TestDatabase,
  settings: { readonly auditRetentionDays?: number } = {},
): Promise<RuntimeRole> {
  const role = `runtime_${randomBytes(4).toString('hex')}`;
  await database.sql(`create role ${role} login password 'runtime'`);
  await migrateDatabase(database.url, undefined, { runtimeRole: role, ...settings });
  const url = new URL(database.url);
  url.username = role;
  url.password = 'runtime';
  return {
    url: url.href,
    async drop() {
      await database.sql(`drop owned by ${role}`);
      await database.sql(`drop role ${role}`);
    },
  };
}
