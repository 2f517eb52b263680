import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { WorkflowBundleOption } from '@temporalio/worker';

const root = fileURLToPath(new URL('..', import.meta.url));
const ownWorkflows = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const builder = fileURLToPath(new URL('build-bundle.ts', import.meta.url));

/**
 * The bundle of the workflows as they are now; built when there is none yet. Kept where the image's build has put it
 * (`node worker/build-bundle.ts`), else in the data folder, else, for this process alone, with the system's temporary files.
 */
export async function workflowBundle(dataDirectory: string): Promise<WorkflowBundleOption> {
  const name = `workflows-${await sourceHash()}.js`;
  const folders = [join(root, 'node_modules', '.cache', 'steward'), join(dataDirectory, 'cache')];
  for (const folder of folders) {
    if (await exists(join(folder, name))) return { codePath: join(folder, name) };
  }
  const folder = (await firstWritable(folders)) ?? (await mkdtemp(join(tmpdir(), 'steward-')));
  return { codePath: await buildBundle(join(folder, name), ownWorkflows) };
}

async function firstWritable(folders: readonly string[]): Promise<string | undefined> {
  for (const folder of folders) {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      return folder;
    } catch {
      // An image's files may be read-only; the next folder may not be.
    }
  }
  return undefined;
}

/**
 * Bundles the workflows that a module exports into a file, and returns its path. In a process of its own: bundling takes
 * memory that this one would never give back.
 */
export async function buildBundle(file: string, workflowsPath: string): Promise<string> {
  // Options of this process, such as a test runner's, are not the builder's.
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  await promisify(execFile)(process.execPath, [builder, file, workflowsPath], { cwd: root, env });
  return file;
}

/** Of everything that the bundle is made of: the sources, and the versions of what bundles and runs them. */
async function sourceHash(): Promise<string> {
  const folder = join(root, 'workflows');
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.ts')).sort()) {
    hash.update(name).update(await readFile(join(folder, name)));
  }
  for (const library of ['workflow', 'worker']) {
    hash.update(await readFile(join(root, 'node_modules', '@temporalio', library, 'package.json')));
  }
  return hash.digest('hex').slice(0, 20);
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}
