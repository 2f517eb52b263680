import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { oneFailed } from './tally.ts';
import type { Tally } from './tally.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Runs Jest on the files that the arguments select. A suite that could not run counts as one failed test, and so does a failure of Jest itself. */
export async function runJest(
  folder: string,
  argumentList: readonly string[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Tally> {
  const results = join(folder, 'results.json');
  const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
  const cache = join(root, 'node_modules', '.cache', 'jest');
  const flags = ['--json', `--outputFile=${results}`, `--cacheDirectory=${cache}`];
  // Its own process group, so that its workers end with it.
  const child = spawn(process.execPath, [jest, ...flags, ...argumentList], {
    cwd: root,
    // Modules in a separate context, as for a browser's page, are experimental.
    env: { ...environment, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
    // The results go to the file. Jest would also print them here.
    stdio: ['ignore', 'ignore', 'inherit'],
    detached: true,
  });
  const endGroup = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  signal.addEventListener('abort', endGroup);
  if (signal.aborted) endGroup();
  await new Promise((resolve) => child.once('close', resolve));
  signal.removeEventListener('abort', endGroup);
  return await readResults(results);
}

async function readResults(file: string): Promise<Tally> {
  try {
    const results: unknown = JSON.parse(await readFile(file, 'utf8'));
    const count = (name: string) => {
      const value = typeof results === 'object' && results !== null ? Reflect.get(results, name) : undefined;
      return typeof value === 'number' ? value : NaN;
    };
    const passed = count('numPassedTests');
    const failed = count('numFailedTests') + count('numRuntimeErrorTestSuites');
    return Number.isNaN(passed + failed) || passed + failed === 0 ? oneFailed : { passed, failed };
  } catch {
    // Jest ended before it wrote results.
    return oneFailed;
  }
}
