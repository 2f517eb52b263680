import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';

const program = `
  import { runProgram } from '${fileURLToPath(new URL('../../../platform/process/run-program.ts', import.meta.url))}';
  // Keeps the program running, as a server does.
  process.stdin.resume();
  const { setTimeout } = globalThis;
  if (process.argv.includes('fast')) globalThis.setTimeout = (act, ms) => setTimeout(act, ms / 1_000);
  await runProgram(async () => {
    console.log('started');
    return {
      async close() {
        console.log('stopping');
        await new Promise((resolve) => process.stdin.once('data', resolve));
      },
    };
  });`;

/** Starts a program whose shutdown ends with its input. Its timers take a thousandth of their time when `fast`. */
async function aProgram(...options: readonly 'fast'[]) {
  const { NODE_OPTIONS: _jests, ...environment } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, '--', ...options], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('started');
  return { child, exit, errors, stopping: async () => (await lines.next()).value === 'stopping' };
}

/** The command that makes its program process 1 of a container, as far as signals are concerned. */
const [unshare, ...asFirst] = [
  'unshare',
  '--user',
  '--map-root-user',
  '--pid',
  '--fork',
  '--kill-child',
] as const;
const hasContainers = spawnSync(unshare, [...asFirst, 'true']).status === 0;

describe('a program that is asked to stop', () => {
  it('treats an immediate second signal as the echo of npm, and shuts down in order', async () => {
    const { child, exit, stopping } = await aProgram();
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await stopping()).toBe(true);
    child.stdin.end('end');
    expect(await exit).toEqual([0, null]);
  });

  it('ends at a later signal', async () => {
    const { child, exit, stopping } = await aProgram();
    child.kill('SIGTERM');
    expect(await stopping()).toBe(true);
    await eventually(() => {
      child.kill('SIGTERM');
      return child.signalCode !== null;
    });
    expect(await exit).toEqual([null, 'SIGTERM']);
  });

  (hasContainers ? it : it.skip)('ends at a later signal as the first process of a container', async () => {
    const { NODE_OPTIONS: _jests, ...environment } = process.env;
    const command = [...asFirst, process.execPath, '--input-type=module', '--eval', program];
    const child = spawn(unshare, command, { env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
    expect((await lines.next()).value).toBe('started');
    const parent = String(child.pid);
    const pid = Number(await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8'));
    process.kill(pid, 'SIGTERM');
    expect((await lines.next()).value).toBe('stopping');
    const exit = once(child, 'exit');
    await eventually(() => {
      if (child.exitCode === null) process.kill(pid, 'SIGTERM');
      return child.exitCode !== null;
    });
    expect(await exit).toEqual([143, null]);
  });

  it('ends with a message when it does not stop in time', async () => {
    const { child, exit, errors, stopping } = await aProgram('fast');
    child.kill('SIGTERM');
    expect(await stopping()).toBe(true);
    expect(await exit).toEqual([1, null]);
    expect(await errors).toBe('The process did not stop within 75 s, and ends now.\n');
  });
});
