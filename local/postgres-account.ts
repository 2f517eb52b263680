import { stat } from 'node:fs/promises';
import { rootsFolder } from './postgres-binaries.ts';
import { runCommand, type Account } from './run-command.ts';
import { StartFailure } from './start-failure.ts';

const name = process.platform === 'darwin' ? '_postgres' : 'postgres';

/**
 * The account that PostgreSQL runs as; undefined for the current user. PostgreSQL refuses root, so as root it gets its own
 * user, created when missing. A cluster of an ordinary user keeps its owner.
 */
export async function postgresAccount(
  cluster: string,
  onProgress: (line: string) => void,
): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return (await lookup()) ?? (await create(onProgress));
}

/** The account's name, or its number when the system has no name for it. */
export async function accountName({ uid }: Account): Promise<string> {
  const { ok, output } = await runCommand('id', ['-nu', String(uid)]);
  return ok ? `the user ${output} (uid ${uid})` : `user id ${uid}`;
}

async function lookup(): Promise<Account | undefined> {
  const [uid, gid] = await Promise.all([runCommand('id', ['-u', name]), runCommand('id', ['-g', name])]);
  return uid.ok && gid.ok ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined;
}

async function create(onProgress: (line: string) => void): Promise<Account> {
  const home = ['--home-dir', rootsFolder, '--no-create-home', '--shell', '/usr/sbin/nologin'];
  const made = await runCommand('useradd', ['--system', '--user-group', ...home, name]);
  const account = await lookup();
  if (account) {
    if (made.ok)
      onProgress(`Created the system user ${name} (uid ${account.uid}): PostgreSQL refuses to run as root.`);
    return account;
  }
  throw new StartFailure(
    `PostgreSQL does not run as root, and creating the user ${name} failed (${made.output}): ` +
      'create that user, start as an ordinary user, or set DATABASE_URL.',
  );
}
