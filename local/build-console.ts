import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exists } from '../platform/process/exists.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { readIfThere } from './files.ts';
import type { Show } from './progress.ts';

/** Milliseconds after which a build is stopped: far more than it takes on a slow machine. */
const maxBuildMs = 900_000;

/** Files and folders that the build reads, relative to the root. */
const sources = ['console', 'packages/client/source', 'package-lock.json'] as const;

/** Prefix of the folders of running builds. */
const buildPrefix = '.dist-';

export interface ConsoleBuild {
  /** Stops a running build. */
  readonly signal: AbortSignal;
  readonly show: Show;
  /** The folder of the repository. */
  readonly root?: string;
}

const ownRoot = fileURLToPath(new URL('..', import.meta.url));

/**
 * Builds the pages of the console into `console/dist`, unless they are up to date. Never throws: a failure shows one
 * line and keeps the earlier build. Without development packages, the installed pages stay.
 */
export async function buildConsole({ signal, show, root = ownRoot }: ConsoleBuild): Promise<void> {
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  if (!(await exists(vite)) || !(await exists(join(root, 'console/index.html')))) return;
  // On the same file system as the build that it replaces: `node_modules` may be on another one.
  const made = join(root, 'console', `${buildPrefix}${String(process.pid)}`);
  try {
    await removeAbandoned(join(root, 'console'));
    const hash = await hashOf(root);
    const marker = join(root, 'console/dist/.sources');
    if ((await readIfThere(marker)) === hash) return;
    const build = ['build', '--outDir', made, '--emptyOutDir', '--logLevel', 'error'];
    const limits = { cwd: join(root, 'console'), signal, timeout: maxBuildMs };
    await promisify(execFile)(process.execPath, [vite, ...build], limits);
    await writeFile(join(made, '.sources'), hash);
    // Another process may have built the same sources meanwhile, and serve that build.
    if ((await readIfThere(marker)) !== hash) await replaceFolder(made, join(root, 'console/dist'));
  } catch (error) {
    // The first line of a failed command is the command.
    const [command = '', reason = command] = errorMessage(error).trim().split('\n');
    if (!signal.aborted) show(`The console could not be built: ${reason}`);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

/** Removes the folders of killed builds: a running build is never older than its limit. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(buildPrefix)) continue;
    const path = join(folder, name);
    const { mtimeMs = Date.now() } = (await stat(path).catch(() => undefined)) ?? {};
    if (Date.now() - mtimeMs > maxBuildMs) await rm(path, { recursive: true, force: true });
  }
}

/** The SHA-256 of the names and contents of the sources. */
async function hashOf(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const path of await filesIn(join(root, source)))
      hash
        .update(`${path.slice(root.length)}\0`)
        .update(await readFile(path))
        .update('\0');
  }
  return hash.digest('hex');
}

async function filesIn(path: string): Promise<readonly string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => undefined);
  if (entries === undefined) return [path];
  const below = entries
    .filter(({ name }) => name !== 'dist' && name !== 'node_modules' && !name.startsWith(buildPrefix))
    .map(async ({ name }) => filesIn(join(path, name)));
  return (await Promise.all(below)).flat().sort();
}

/** Replaces a folder with another. Keeps a build that another start has put there meanwhile. */
async function replaceFolder(made: string, to: string): Promise<void> {
  const former = `${made}-former`;
  await rename(to, former).catch(unlessReplaced);
  await rename(made, to).catch(unlessReplaced);
  await rm(former, { recursive: true, force: true });
}

/** Error codes that mean that there is no build yet, or that another start has replaced it. */
const replaced: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTEMPTY', 'EEXIST']);

function unlessReplaced(error: NodeJS.ErrnoException): void {
  if (!replaced.has(error.code)) throw error;
}
