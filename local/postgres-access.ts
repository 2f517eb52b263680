import { chmod, chown, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isWithin } from './mounts.ts';
import { runCommand, type Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

const privateMode = 0o700;
const groupMayPass = 0o010;

/**
 * Lets PostgreSQL's account pass through its folder and the data folder above without reading them: changes both from
 * 0700 to 0710 with the account's group. Folders that are not private or not root's are unchanged.
 */
export async function letThrough(folder: string, account: Account): Promise<void> {
  for (const path of [dirname(folder), folder]) {
    const { uid, mode } = await stat(path);
    if (uid !== 0 || (mode & 0o777 & ~groupMayPass) !== privateMode) continue;
    await chown(path, 0, account.gid);
    await chmod(path, privateMode | groupMayPass);
  }
}

/** Gives the account access to a cluster in its folder. Throws a StartFailure when a parent folder denies it. */
export async function openCluster(folder: string, cluster: string, account: Account): Promise<void> {
  if (!isWithin(cluster, await realpath(folder))) return;
  if ((await reaches(cluster, account)) || (await opened(folder, account))) return;
  throw new StartFailure(
    `${cluster} cannot be reached by its owner, user id ${account.uid}: let that user traverse every folder ` +
      'above it (chmod a+x).',
  );
}

/** Gives the account access and returns whether it can reach its folder. */
export async function opened(folder: string, account: Account): Promise<boolean> {
  // Some mounts do not support changing owners; the test decides.
  await letThrough(folder, account).catch(() => undefined);
  return await reaches(folder, account);
}

async function reaches(path: string, account: Account): Promise<boolean> {
  const { ok, output } = await runCommand('sh', ['-c', 'test -x "$1"', 'sh', path], { account });
  // `test` prints nothing when access is denied; output means that it could not run.
  return ok || output !== '';
}
