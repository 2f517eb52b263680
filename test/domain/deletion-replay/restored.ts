import { Client } from 'pg';
import { alterRole } from '../../../platform/database/role-settings.ts';
import { adminUrl, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const nameOf = ({ url }: TestDatabase): string => new URL(url).pathname.slice(1);

/** Copies a database like a backup. Ends the sessions of the database. Returns the name of the copy. */
export async function backedUp(database: TestDatabase): Promise<string> {
  const copy = `${nameOf(database)}_backup`;
  await asAdmin(async (admin) => {
    await admin.query(`drop database if exists ${copy} with (force)`);
    await copyTo(admin, nameOf(database), copy);
  });
  return copy;
}

/** Replaces a database by its backup. Ends the sessions of the database. */
export async function restored(database: TestDatabase, backup: string): Promise<void> {
  const name = nameOf(database);
  await asAdmin(async (admin) => {
    await eventually(() => admin.query(`drop database if exists ${name} with (force)`));
    await copyTo(admin, backup, name);
    await admin.query(alterRole('session_user', name));
  });
}

export const forgotten = async (backup: string): Promise<void> =>
  asAdmin(async (admin) => {
    await admin.query(`drop database if exists ${backup} with (force)`);
  });

/** A source with sessions cannot be copied, and processes connect again at once. */
const copyTo = async (admin: Client, source: string, target: string): Promise<void> => {
  await eventually(async () => {
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [source]);
    await admin.query(`create database ${target} template ${source} strategy file_copy`);
  });
};

async function asAdmin(act: (admin: Client) => Promise<void>): Promise<void> {
  const admin = new Client({ connectionString: adminUrl() });
  await admin.connect();
  try {
    await act(admin);
  } finally {
    await admin.end();
  }
}
