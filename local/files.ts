import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from './start-failure.ts';

/** The text of a file, or undefined where there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Makes the file appear whole or not at all, and survive a power cut; mode 0600 unless told otherwise. */
export async function writeWhole(path: string, content: string, mode = 0o600): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.draft`);
  try {
    const file = await open(draft, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** A folder that only its owner can look into; parents that are missing get `parentMode`. */
export async function makePrivateFolder(path: string, parentMode = 0o700): Promise<void> {
  await makeParents(path, parentMode);
  await makeFolder(path, 0o700);
}

// Not Node's recursive mkdir: where a file system takes no new folders (/proc), it never returns.
async function makeParents(path: string, mode: number): Promise<void> {
  const parent = dirname(path);
  if (parent === path || (await isFolder(parent))) return;
  await makeParents(parent, mode);
  await makeFolder(parent, mode);
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(async (error: unknown) => {
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(path))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Removes what was left half-made in a folder: entries whose name begins so. */
export async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
