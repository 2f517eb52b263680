import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folders = ['activities', 'api', 'domain', 'platform', 'worker', 'workflows'];

let known: Promise<string> | undefined;

/** Identifies the code of this installation: 20 hexadecimal digits of a hash of its sources and its package.json. */
export const buildId = async (): Promise<string> => (known ??= hashSources());

async function hashSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((file) => file.endsWith('.ts')).sort()) {
      hash.update(`${folder}/${name}\n`).update(await readFile(join(root, folder, name)));
    }
  }
  hash.update(await readFile(join(root, 'package.json')));
  return hash.digest('hex').slice(0, 20);
}
