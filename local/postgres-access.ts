import { chmod, chown, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWithin } from './mounts.ts';
import { runCommand, type Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

const privateMode = 0o700;
const groupMayPass = 0o010;

/**
 * Lets the account of PostgreSQL pass through its folder and the data folder above, without reading them: both change
 * from 0700 to 0710, with the group of the account. Folders that are not private, or not root's, stay as they are.
 */
export async function letThrough(folder: string, account: Account): Promise<void> {
  for (const path of [dirname(folder), folder]) {
    const { uid, mode } = await stat(path);
    if (uid !== 0 || (mode & 0o777 & ~groupMayPass) !== privateMode) continue;
    await chown(path, 0, account.gid);
    await chmod(path, privateMode | groupMayPass);
  }
}

/** Lets the account reach a cluster that lies in its folder. Throws a StartFailure where a folder above keeps it out. */
export async function openCluster(folder: string, cluster: string, account: Account): Promise<void> {
  if (!isWithin(cluster, await realpath(folder))) return;
  if ((await reaches(cluster, account)) || (await opened(folder, account))) return;
  throw new StartFailure(
    `${cluster} cannot be reached by its owner, user id ${account.uid}: let that user pass through every folder ` +
      'above it (chmod a+x).',
  );
}

/** Lets the account through, and says whether it reaches its folder then. */
export async function opened(folder: string, account: Account): Promise<boolean> {
  // Some mounts let nobody change owners; the test decides.
  await letThrough(folder, account).catch(() => undefined);
  return await reaches(folder, account);
}

async function reaches(path: string, account: Account): Promise<boolean> {
  const { ok, output } = await runCommand('sh', ['-c', 'test -x "$1"', 'sh', path], { account });
  // A refusal is silent; a message says that the test itself could not run.
  return ok || output !== '';
}
