import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const builder = fileURLToPath(new URL('../../worker/build-bundle.ts', import.meta.url));

/** Returns the bundle of the current workflows, built like in the image. */
export async function theBundle(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-bundle-'));
  const { NODE_OPTIONS: _jests, ...env } = process.env;
  try {
    const file = join(folder, 'workflows.js');
    await promisify(execFile)(process.execPath, [builder, file], { env });
    return await readFile(file, 'utf8');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the source files of a bundle as paths relative to the project. */
export function modulesOf(bundle: string): string[] {
  return [...bundle.matchAll(/^\/\*\*\*\/ "(?<path>[^"]+)"/gm)].map(({ groups }) => groups?.['path'] ?? '');
}
