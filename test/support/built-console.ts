import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildConsole as buildWhenChanged } from '../../local/build-console.ts';
import { root } from './source-files.ts';

/** Builds the console into a new folder. Returns the folder. */
export async function buildConsole(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'steward-console-'));
  const vite = join(root, 'node_modules/vite/bin/vite.js');
  await promisify(execFile)(process.execPath, [vite, 'build', '--outDir', folder, '--manifest'], {
    cwd: join(root, 'console'),
  });
  return folder;
}

/** Builds the console into the folder that the API serves, like `npm start`: only after a change of its sources. */
export async function buildServedConsole(): Promise<void> {
  const failures: string[] = [];
  await buildWhenChanged({ signal: new AbortController().signal, show: (line) => void failures.push(line) });
  if (failures.length > 0) throw new Error(failures.join('\n'));
}
