import { execFile } from 'node:child_process';
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './source-files.ts';

/** Builds the console into a folder of its own, and returns it. */
export async function buildConsole(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-console-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--manifest'], {
    cwd: join(root, 'console'),
  });
  return folder;
}

/** Builds the console to where the API serves it from. A process that serves it meanwhile misses no file. */
export async function buildServedConsole(): Promise<void> {
  const folder = await buildConsole();
  const served = join(root, 'console/dist');
  await cp(join(folder, 'assets'), join(served, 'assets'), { recursive: true });
  const page = join(served, `index.${String(process.pid)}.html`);
  await cp(join(folder, 'index.html'), page);
  await rename(page, join(served, 'index.html'));
  await rm(folder, { recursive: true });
}
