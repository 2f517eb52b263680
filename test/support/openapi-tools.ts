import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Tools that read OpenAPI documents, which only these tests use. */
const nodePackages = {
  '@hey-api/openapi-ts': '0.95.0',
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.3',
  'openapi-to-postmanv2': '6.3.3',
  'openapi-typescript': '7.13.0',
  typescript: '5.9.3',
};
const pythonPackage = 'openapi-python-client==0.29.1';

/** In the cache of the other programs that Steward downloads once. */
const cache = join(homedir(), '.cache', 'steward');

/** A folder with programs, or a line with the reason why it is not available. */
export type Tools = { readonly folder: string } | { readonly missing: string };

/** Returns the folder of the npm packages, installed once. Their programs are in `node_modules/.bin`. */
export const obtainNodeTools = async (): Promise<Tools> =>
  obtained('openapi-tools-1', 'npm packages', async (folder) => {
    const manifest = { private: true, dependencies: nodePackages };
    await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  });

/** Returns the module path of the Python packages, installed once. Needs Python 3.10 with pip. */
export const obtainPythonTools = async (): Promise<Tools> =>
  obtained('openapi-python-1', 'openapi-python-client', async (folder) => {
    await run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, pythonPackage]);
  });

async function obtained(
  name: string,
  what: string,
  install: (folder: string) => Promise<void>,
): Promise<Tools> {
  const folder = join(cache, name);
  if (await stat(folder).catch(() => undefined)) return { folder };
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, `${name}-`));
  try {
    await install(temporary);
    await rename(temporary, folder);
    return { folder };
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    return { missing: `${what}: not obtained: ${(error as Error).message.split('\n')[0] ?? ''}` };
  }
}
