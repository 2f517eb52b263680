import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { obtainDebianProgram, type DebianProgram } from './debian-programs.ts';

/** `pg_dump` and `pg_restore` of the embedded server's version, which its package lacks. */
export interface PostgresPrograms {
  /** Writes a database to a file in the custom format. */
  dump(databaseUrl: string, file: string): Promise<void>;
  /** Restores into an empty database. Changes nothing when a statement fails. */
  restore(file: string, databaseUrl: string): Promise<void>;
}

/** Debian 13 has PostgreSQL 17, whose `pg_dump` refuses 18. */
const pgDump: DebianProgram = {
  name: 'pg_dump',
  release: 'forky',
  path: 'usr/lib/postgresql/18/bin/pg_dump',
  packages: [
    'postgresql-client-18',
    'libc6',
    'libpq5',
    'libssl3t64',
    'libgssapi-krb5-2',
    'libkrb5-3',
    'libk5crypto3',
    'libkrb5support0',
    'libcom-err2',
    'libkeyutils1',
    'libldap2',
    'libsasl2-2',
    'libzstd1',
    'liblz4-1',
    'zlib1g',
  ],
};

/** Returns Debian's programs, or a line with the reason why they are not available. */
export async function obtainPostgresPrograms(): Promise<PostgresPrograms | string> {
  const program = await obtainDebianProgram(pgDump);
  if (typeof program === 'string') return program;
  const [command, ...first] = program;
  const path = first.at(-1) ?? '';
  const run = async (name: string, ...rest: string[]): Promise<void> => {
    await promisify(execFile)(command, [...first.slice(0, -1), join(dirname(path), name), ...rest]);
  };
  return {
    dump: async (databaseUrl, file) =>
      run('pg_dump', '--format=custom', `--file=${file}`, `--dbname=${databaseUrl}`),
    restore: async (file, databaseUrl) =>
      run('pg_restore', '--single-transaction', '--no-owner', `--dbname=${databaseUrl}`, file),
  };
}
