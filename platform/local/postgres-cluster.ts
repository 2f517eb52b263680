import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder, readIfThere, removeLeftovers, writeWhole } from './files.ts';
import { makeRootsFolder, rootsFolder } from './postgres-binaries.ts';
import { runCommand, tellingLine } from './run-command.ts';
import type { Account } from './run-command.ts';
import { codeOf, StartFailure } from './start-failure.ts';

/** Owner of everything in the embedded PostgreSQL. */
export const superuser = 'postgres';

const majorVersion = '18';

/** Files of a PostgreSQL that `startPostgres` keeps in one folder. */
export interface ClusterFiles {
  /** PostgreSQL's data; as root a link, see `makeCluster`. */
  readonly cluster: string;
  readonly password: string;
  readonly ports: string;
}

export function clusterFiles(folder: string): ClusterFiles {
  return {
    cluster: join(folder, 'cluster'),
    password: join(folder, 'password'),
    ports: join(folder, 'ports.json'),
  };
}

interface Making {
  readonly folder: string;
  readonly binaries: string;
  readonly account: Account | undefined;
  readonly durable: boolean;
}

/**
 * The real path of the cluster; makes it where there is none. It is made under another name and renamed, so that one
 * whose making was interrupted is never taken for a cluster. As root it lies where its own user can reach it.
 */
export async function makeCluster(making: Making): Promise<string> {
  const { cluster, password } = clusterFiles(making.folder);
  await makePrivateFolder(making.folder);
  const existing = await realpath(cluster).catch(() => undefined);
  if (existing !== undefined) {
    await checkCluster(existing, password);
    return existing;
  }
  await refuseLostCluster(cluster);
  // Before the cluster: a cluster without its password would be of no use.
  const secret = (await readIfThere(password)) ?? randomBytes(24).toString('base64url');
  await writeWhole(password, secret);
  const home = await homeOf(making);
  await removeLeftovers(home, 'making-');
  const draft = join(home, `making-${process.pid}`);
  await initialize(making, draft, secret);
  const made = join(home, 'cluster');
  await rename(draft, made);
  if (made !== cluster) await symlink(made, cluster);
  return await realpath(made);
}

/** Throws away a cluster that is not running, even a half-made one, with all that belongs to it. */
export async function removeCluster(folder: string): Promise<void> {
  const home = await knownHome(folder);
  if (home !== undefined) await rm(join(rootsFolder, home), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

async function homeOf({ folder, account }: Making): Promise<string> {
  if (account === undefined) return folder;
  const home = join(rootsFolder, await homeName(folder));
  await makeRootsFolder();
  await mkdir(home, { recursive: true, mode: 0o700 });
  await chown(home, account.uid, account.gid);
  return home;
}

/** A folder that no other data folder uses, even one that was moved away from here with its link. */
async function homeName(folder: string): Promise<string> {
  const known = await knownHome(folder);
  if (known !== undefined) return known;
  const readable = basename(dirname(dirname(folder))).replaceAll(/\W/g, '') || 'steward';
  const name = `${readable}-${randomBytes(4).toString('hex')}`;
  await writeWhole(join(folder, homeFile), `${name}\n`);
  return name;
}

const homeFile = 'home';

async function knownHome(folder: string): Promise<string | undefined> {
  const name = (await readIfThere(join(folder, homeFile)))?.trim();
  return name !== undefined && /^\w[\w-]*$/.test(name) ? name : undefined;
}

async function initialize(
  { binaries, account, durable }: Making,
  draft: string,
  secret: string,
): Promise<void> {
  // PostgreSQL's user reads it, and nobody else.
  const secretFile = `${draft}.password`;
  await writeFile(secretFile, `${secret}\n`, { mode: 0o600 });
  if (account) await chown(secretFile, account.uid, account.gid);
  try {
    const initdb = await runCommand(
      join(binaries, 'bin', 'initdb'),
      [
        `--pgdata=${draft}`,
        `--username=${superuser}`,
        `--pwfile=${secretFile}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--data-checksums',
        ...(durable ? [] : ['--no-sync']),
      ],
      { account, environment: { ...process.env, LC_ALL: 'C' } },
    );
    if (!initdb.ok) {
      throw new StartFailure(
        `PostgreSQL could not make its data folder ${draft}: ${tellingLine(initdb.output)}.`,
      );
    }
    await chmod(draft, 0o700);
  } finally {
    await rm(secretFile, { force: true });
  }
}

async function checkCluster(cluster: string, password: string): Promise<void> {
  const version = await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch((error: unknown) => {
    if (['EACCES', 'EPERM'].includes(codeOf(error))) {
      throw new StartFailure(
        `${cluster} belongs to another user: start as that user, or choose another folder with STEWARD_DATA_DIR.`,
      );
    }
    return undefined;
  });
  if (version === undefined && (await readdir(cluster)).length === 0) {
    throw new StartFailure(`${cluster} is empty, its data is gone: remove the data folder to start anew.`);
  }
  if (version?.trim() !== majorVersion) {
    throw new StartFailure(
      `${cluster} was made by PostgreSQL ${version?.trim() ?? '(unknown)'}, this is ${majorVersion}: ` +
        'dump and restore it, or choose another folder with STEWARD_DATA_DIR.',
    );
  }
  if ((await readIfThere(password)) === undefined) {
    throw new StartFailure(`${password} is missing: restore it, or remove the data folder to start anew.`);
  }
}

/** A link that leads nowhere: the data was removed, or it belongs to a user whose folders we cannot enter. */
async function refuseLostCluster(cluster: string): Promise<void> {
  const target = await readlink(cluster).catch(() => undefined);
  if (target === undefined) return;
  throw new StartFailure(
    `${cluster} leads to ${target}, which is gone or belongs to another user: start as that user, ` +
      'restore it, or remove the data folder to start anew.',
  );
}
