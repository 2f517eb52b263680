import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folders whose programs run in production or under `npm start`. */
export const product = [
  'activities',
  'api',
  'cli',
  'domain',
  'local',
  'packages/client/source',
  'platform',
  'server',
  'worker',
  'workflows',
] as const;

/** Returns the paths from the root of files below folders whose names match. Throws for a folder that does not exist. */
export async function sourcePaths(folders: readonly string[], name = /\.ts$/): Promise<string[]> {
  const paths = await Promise.all(
    folders.map(async (folder) =>
      (await readdir(join(root, folder), { recursive: true })).map((path) => `${folder}/${path}`),
    ),
  );
  return paths.flat().filter((path) => name.test(path));
}
