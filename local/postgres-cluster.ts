import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makePrivateFolder, readIfThere, removeLeftovers, writeWhole } from './files.ts';
import { isKeptByMount, isWithin, mountTable } from './mounts.ts';
import { letThrough, openCluster, opened } from './postgres-access.ts';
import { makeRootsFolder, rootsFolder } from './postgres-binaries.ts';
import { runInitdb, type Initialization } from './postgres-initdb.ts';
import type { Account } from './run-command.ts';
import { codeOf, messageOf, StartFailure } from './start-failure.ts';

const majorVersion = '18';

/** Files of a PostgreSQL that `startPostgres` keeps in one folder. */
export interface ClusterFiles {
  /** PostgreSQL's data; as root often a link, see `makeCluster`. */
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

interface Making extends Initialization {
  readonly folder: string;
}

/**
 * The real path of the cluster; makes it where there is none. It is made under another name and renamed, so that one
 * whose making was interrupted is never taken for a cluster. As root it lies under `rootsFolder`, where its own user can
 * reach it, and in its folder when a mount keeps that.
 */
export async function makeCluster(making: Making): Promise<string> {
  const { folder, account, onProgress } = making;
  const { cluster, password } = clusterFiles(folder);
  await makePrivateFolder(folder);
  const kept =
    account !== undefined && isKeptByMount(await realpath(folder), rootsFolder, await mountTable());
  const existing = await realpath(cluster).catch(() => undefined);
  if (existing !== undefined) {
    await checkCluster(existing, password);
    if (account) await openCluster(folder, existing, account);
    if (kept && !isWithin(existing, await realpath(folder))) {
      onProgress(await outsideMount(existing, making));
    }
    return existing;
  }
  await refuseLostCluster(cluster);
  // Before the cluster: a cluster without its password would be of no use.
  const secret = (await readIfThere(password)) ?? randomBytes(24).toString('base64url');
  await writeWhole(password, secret);
  if (account === undefined) return await makeIn(folder, making, secret);
  if (kept) {
    try {
      await letThrough(folder, account);
      return await makeIn(folder, making, secret);
    } catch (error) {
      onProgress(`PostgreSQL cannot keep its data in the mounted data folder: ${messageOf(error)}`);
    }
  }
  const made = await makeIn(await homeOf(folder, account), making, secret);
  await symlink(made, cluster);
  if (kept) onProgress(await outsideMount(made, making));
  return made;
}

/** Makes the cluster in a folder that its user may pass through; gives its real path. */
async function makeIn(home: string, making: Making, secret: string): Promise<string> {
  await removeLeftovers(home, 'making-');
  const draft = join(home, `making-${process.pid}`);
  try {
    await runInitdb(making, draft, secret);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
  const made = join(home, 'cluster');
  await rename(draft, made);
  return await realpath(made);
}

/** Nothing is moved unasked: a copy takes time and space, and may be interrupted. */
async function outsideMount(existing: string, { folder, account }: Making): Promise<string> {
  const { cluster } = clusterFiles(folder);
  const closed = account !== undefined && !(await opened(folder, account));
  const first = closed
    ? `let user id ${account.uid} pass through every folder above ${folder} (chmod a+x), `
    : '';
  return (
    `Warning: the database lies in ${existing}, outside the mount that keeps the data folder, and goes with this ` +
    `container. To move it: stop Steward, ${first}and run: rm ${cluster} && mv ${existing} ${cluster}`
  );
}

/** Throws away a cluster that is not running, even a half-made one, with all that belongs to it. */
export async function removeCluster(folder: string): Promise<void> {
  const home = await knownHome(folder);
  if (home !== undefined) await rm(join(rootsFolder, home), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
}

async function homeOf(folder: string, account: Account): Promise<string> {
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
