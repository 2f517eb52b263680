import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';

const program = `
  import { runProgram } from '${fileURLToPath(new URL('../../../platform/process/run-program.ts', import.meta.url))}';
  // Keeps the program running, as a server does.
  process.stdin.resume();
  await runProgram(async () => {
    console.log('started');
    return {
      async close() {
        console.log('stopping');
        await new Promise((resolve) => process.stdin.once('data', resolve));
      },
    };
  });`;

/** Starts a program whose shutdown ends with its input. */
async function aProgram() {
  const { NODE_OPTIONS: _jests, ...environment } = process.env;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('started');
  return { child, exit, stopping: async () => (await lines.next()).value === 'stopping' };
}

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
});
