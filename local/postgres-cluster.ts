import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, readlink, realpath, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../platform/process/error-code.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { makePrivateFolder, readIfThere, removeLeftovers, writeWhole } from './files.ts';
import { isKeptByMount, isWithin, mountTable } from './mounts.ts';
import { letThrough, openCluster, opened } from './postgres-access.ts';
import { makeRootsFolder, rootsFolder } from './postgres-binaries.ts';
import { runInitdb, type Initialization } from './postgres-initdb.ts';
import type { Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

const majorVersion = '18';

/** The files of `startPostgres` in its folder. */
export interface ClusterFiles {
  /** PostgreSQL's data; as root often a symbolic link, see `makeCluster`. */
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
 * The real path of the cluster, created when missing. It is created under another name and renamed, so that an interrupted
 * initdb never counts as a cluster. As root it is under `rootsFolder`, which its user can reach, or in its own folder when
 * that is mounted.
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
  // Before the cluster: a cluster without its password is unusable.
  const secret = (await readIfThere(password)) ?? randomBytes(24).toString('base64url');
  await writeWhole(password, secret);
  if (account === undefined) return await makeIn(folder, making, secret);
  if (kept) {
    try {
      await letThrough(folder, account);
      return await makeIn(folder, making, secret);
    } catch (error) {
      onProgress(`PostgreSQL cannot keep its data in the mounted data folder: ${errorMessage(error)}`);
    }
  }
  const made = await makeIn(await homeOf(folder, account), making, secret);
  await symlink(made, cluster);
  if (kept) onProgress(await outsideMount(made, making));
  return made;
}

/** Creates the cluster in a folder that its user can reach; returns its real path. */
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

/** A warning with the commands to move the cluster. Moving is left to the operator: it takes time and space. */
async function outsideMount(existing: string, { folder, account }: Making): Promise<string> {
  const { cluster } = clusterFiles(folder);
  const closed = account !== undefined && !(await opened(folder, account));
  const first = closed
    ? `let user id ${account.uid} traverse every folder above ${folder} (chmod a+x), `
    : '';
  return (
    `Warning: the database is in ${existing}, outside the mount of the data folder, and is lost with this ` +
    `container. To move it: stop Steward, ${first}and run: rm ${cluster} && mv ${existing} ${cluster}`
  );
}

/** Deletes a cluster that is not running, even an incomplete one, with all its files. */
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

/** A unique folder name: a data folder that was moved away from here may still link to the old one. */
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
    throw new StartFailure(
      `${cluster} is empty, its data is lost: remove the data folder to start with empty data.`,
    );
  }
  if (version?.trim() !== majorVersion) {
    throw new StartFailure(
      `${cluster} was made by PostgreSQL ${version?.trim() ?? '(unknown)'}, this is ${majorVersion}: ` +
        'dump and restore it, or choose another folder with STEWARD_DATA_DIR.',
    );
  }
  if ((await readIfThere(password)) === undefined) {
    throw new StartFailure(
      `${password} is missing: restore it, or remove the data folder to start with empty data.`,
    );
  }
}

/** Throws for a broken link: the data was removed, or belongs to a user whose folders are not accessible. */
async function refuseLostCluster(cluster: string): Promise<void> {
  const target = await readlink(cluster).catch(() => undefined);
  if (target === undefined) return;
  throw new StartFailure(
    `${cluster} links to ${target}, which is missing or belongs to another user: start as that user, ` +
      'restore it, or remove the data folder to start with empty data.',
  );
}
