import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../platform/process/error-code.ts';

/** The text of a file, or undefined when it does not exist. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes the file atomically and durably, with mode 0600. */
export async function writeWhole(path: string, content: string): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.draft`);
  try {
    const file = await open(draft, 'wx', 0o600);
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

/** Creates a folder that only its owner can access; missing parents get `parentMode`. */
export async function makePrivateFolder(path: string, parentMode = 0o700): Promise<void> {
  await makeParents(path, parentMode);
  await makeFolder(path, 0o700);
}

// Node's recursive mkdir never returns on file systems that accept no new folders (/proc).
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

/** Removes incomplete entries of a folder: those whose name starts with `prefix`. */
export async function removeLeftovers(folder: string, prefix: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true });
  }
}
