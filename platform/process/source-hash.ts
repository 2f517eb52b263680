import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Paths from the root of the installation. */
export interface Sources {
  /** Folders whose TypeScript files count, at any depth. */
  readonly folders: readonly string[];
  readonly files: readonly string[];
}

/** Returns 20 hexadecimal digits of a hash of the sources' names and contents. */
export async function sourceHash({ folders, files }: Sources): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
      hash.update(`${folder}/${name}\n`).update(await readFile(join(root, folder, name)));
    }
  }
  for (const file of files) hash.update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 20);
}
