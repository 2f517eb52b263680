import { appendFile, chown, mkdir, mkdtemp, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { parse } from 'yaml';
import { clusterFiles, removeCluster } from '../../local/postgres-cluster.ts';
import { startPostgres, type RunningPostgres } from '../../local/postgres.ts';
import { runCommand } from '../../local/run-command.ts';
import { aDatabase, openedDatabase, type TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';

/** A server that archives its write-ahead log like that of docker-compose.yml. */
export interface ArchivedPostgres {
  /** A migrated database. */
  readonly database: TestDatabase;
  /** Copies the files of the running server, as `pg_basebackup` does. Replaces an earlier copy. */
  backUp(): Promise<void>;
  /** Resolves when the archive has everything that is committed now. */
  archived(): Promise<void>;
  /** Ends the server and its sessions with SIGKILL. */
  kill(): void;
  /** Starts another server from the base backup and the archive, to a time or to the end of the archive. */
  restore(targetTime?: string): Promise<TestDatabase>;
  readonly close: () => Promise<void>;
}

export async function anArchivedPostgres(): Promise<ArchivedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-archived-'));
  const servers = new Map<string, RunningPostgres>();
  const start = async (name: string): Promise<RunningPostgres> => {
    const server = await startPostgres({
      directory: join(folder, name),
      database: 'postgres',
      durable: true,
      onProgress: () => undefined,
    });
    servers.set(name, server);
    return server;
  };
  const first = await start('primary');
  const primary = first.cluster;
  await first.stop();
  const [archive, base] = [await ownFolder(primary, 'archive'), await ownFolder(primary, 'base')];
  await appendFile(join(primary, 'postgresql.auto.conf'), await archivingSettings(archive));
  const server = await start('primary');
  const database = await aDatabase(server.url);
  return {
    database,
    backUp: async () => copyRunning(server.url, primary, base),
    archived: async () => untilArchived(database),
    kill: () => process.kill(server.pid, 'SIGKILL'),
    async restore(targetTime) {
      const name = `restored-${String(servers.size)}`;
      const made = await start(name);
      await made.stop();
      await writeFile(
        clusterFiles(join(folder, name)).password,
        await readFile(clusterFiles(join(folder, 'primary')).password),
        { mode: 0o600 },
      );
      await run('find "$2" -mindepth 1 -delete; cp -a "$1"/. "$2"', base, made.cluster);
      await run('cp -a "$1" "$2"', join(base, 'PG_VERSION'), join(made.cluster, 'recovery.signal'));
      // Without an archive of its own: it would continue that of the original.
      const settings = [`archive_mode = 'off'`, `restore_command = 'gunzip -c ${archive}/%f.gz > %p'`];
      if (targetTime !== undefined)
        settings.push(`recovery_target_time = '${targetTime}'`, `recovery_target_action = 'promote'`);
      await appendFile(join(made.cluster, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
      const restored = await start(name);
      const found = openedDatabase(new URL(database.directUrl).pathname.slice(1), restored.url);
      await eventually(async () => {
        const [row] = await found.sql<{ recovering: boolean }>('select pg_is_in_recovery() as recovering');
        return row?.recovering === false;
      });
      return found;
    },
    async close() {
      for (const one of servers.values()) await one.stop().catch(() => undefined);
      await rm(archive, { recursive: true, force: true });
      await rm(base, { recursive: true, force: true });
      for (const name of servers.keys()) await removeCluster(join(folder, name));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a folder beside a cluster, which belongs to the user of its server. */
async function ownFolder(cluster: string, name: string): Promise<string> {
  const folder = join(dirname(await realpath(cluster)), name);
  await mkdir(folder, { mode: 0o700 });
  const { uid, gid } = await stat(cluster);
  await chown(folder, uid, gid);
  return folder;
}

/** The settings of docker-compose.yml, for another folder. */
async function archivingSettings(archive: string): Promise<string> {
  const file = parse(await readFile('docker-compose.yml', 'utf8'), { merge: true }) as {
    readonly services: { readonly postgres: { readonly command: readonly string[] } };
  };
  const settings = file.services.postgres.command.flatMap((argument) => {
    const [, name = '', value = ''] = /^-c(archive_\w+)=(.*)$/.exec(argument) ?? [];
    return name === '' ? [] : [`${name} = '${value.replaceAll('/archive/', `${archive}/`)}'\n`];
  });
  if (settings.length !== 3) throw new Error('docker-compose.yml has other settings of the archive.');
  return settings.join('');
}

/** Copies the files between `pg_backup_start` and `pg_backup_stop`, which the same session must call. */
async function copyRunning(url: string, from: string, to: string): Promise<void> {
  const session = new Client({ connectionString: url });
  await session.connect();
  try {
    await session.query(`select pg_backup_start('test', true)`);
    await run('find "$1" -mindepth 1 -delete', to);
    const copied = await runCommand('cp', ['-a', `${from}/.`, to]);
    // The server deletes files meanwhile.
    const failures = copied.output.split('\n').filter((line) => line !== '');
    if (!copied.ok && failures.some((line) => !line.includes('No such file or directory')))
      throw new Error(`The base backup failed: ${copied.output}`);
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop()');
    await run(
      'rm "$1/postmaster.pid"; find "$1/pg_wal" -type f -delete; cp -a "$1/PG_VERSION" "$1/backup_label"',
      to,
    );
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '');
  } finally {
    await session.end();
  }
}

async function untilArchived(database: TestDatabase): Promise<void> {
  const [row] = await database.sql<{ segment: string }>('select pg_walfile_name(pg_switch_wal()) as segment');
  await eventually(async () => {
    const [archiver] = await database.sql<{ last: string | null }>(
      'select last_archived_wal as last from pg_stat_archiver',
    );
    return (archiver?.last ?? '') >= (row?.segment ?? '');
  });
}

async function run(script: string, ...values: string[]): Promise<void> {
  const { ok, output } = await runCommand('sh', ['-euc', script, 'sh', ...values], {
    environment: { ...process.env, LC_ALL: 'C' },
  });
  if (!ok) throw new Error(`${script} failed: ${output}`);
}
