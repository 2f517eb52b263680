import { execFile } from 'node:child_process';
import { access, constants, mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { WorkflowBundleOption } from '@temporalio/worker';
import { exists } from '../platform/process/exists.ts';
import { sourceHash } from '../platform/process/source-hash.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const ownWorkflows = fileURLToPath(new URL('../workflows/index.ts', import.meta.url));
const builder = fileURLToPath(new URL('build-bundle.ts', import.meta.url));

/** What determines the bundle: the workflows, and the versions of the SDK that bundles and runs them. */
const bundled = {
  folders: ['workflows'],
  files: ['workflow', 'worker'].map((library) => `node_modules/@temporalio/${library}/package.json`),
};

/**
 * Returns the bundle of the current workflows; builds it when there is none. Looks where the image's build puts it (`node
 * worker/build-bundle.ts`), then in the data folder. Falls back to a temporary folder for this process.
 */
export async function workflowBundle(dataDirectory: string): Promise<WorkflowBundleOption> {
  const name = `workflows-${await sourceHash(bundled)}.js`;
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
      // The files of an image may be read-only: try the next folder.
    }
  }
  return undefined;
}

/**
 * Bundles the workflows that a module exports into a file, and returns its path. Runs in a child process, because the
 * memory of bundling would not be released.
 */
export async function buildBundle(file: string, workflowsPath: string): Promise<string> {
  // Options of this process, such as a test runner's, must not reach the child.
  const { NODE_OPTIONS: _ours, ...env } = process.env;
  await promisify(execFile)(process.execPath, [builder, file, workflowsPath], { cwd: root, env });
  return file;
}
