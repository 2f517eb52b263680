import { describe, expect, it } from '@jest/globals';
import { runCommand } from '../../local/run-command.ts';

describe('a command', () => {
  it('returns its whole output when many commands end simultaneously', async () => {
    for (let round = 0; round < 4; round += 1) {
      const runs = await Promise.all(Array.from({ length: 40 }, async () => runCommand('echo', ['x'])));
      expect(runs.filter(({ ok, output }) => !ok || output !== 'x')).toEqual([]);
    }
  });

  it('ends even when a process that it started keeps the output open', async () => {
    const { ok, output } = await runCommand('sh', ['-c', 'sleep 300 & echo $!']);
    expect(ok).toBe(true);
    process.kill(Number(output), 'SIGKILL');
  });

  it('reports the reason when it could not start', async () => {
    const { ok, output } = await runCommand('no-such-program', []);
    expect(ok).toBe(false);
    expect(output).toMatch(/ENOENT/);
  });
});
