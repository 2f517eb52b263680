import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import * as Y from 'yjs';
import { pack, type StoredBytes } from '../../../domain/crdt/stored-bytes.ts';
import { foreignMemory } from '../../../domain/crdt/yjs-limits.ts';
import { YjsPool } from '../../../domain/crdt/yjs-pool.ts';
import { YjsProcess } from '../../../domain/crdt/yjs-process-runner.ts';
import { YjsThread } from '../../../domain/crdt/yjs-thread-runner.ts';
import { runYjs } from '../../../domain/crdt/run-yjs.ts';
import type { YjsWork } from '../../../domain/crdt/yjs-work.ts';
import type { Tenant } from '../../../domain/tenancy/tenant.ts';
import { eventually } from '../../support/eventually.ts';

const work = (change: YjsWork['change']): YjsWork => ({
  type: 'text',
  contentKey: 'content',
  base: [],
  change,
});
const replacing = (text: string): YjsWork =>
  work({ kind: 'replace', json: new TextEncoder().encode(JSON.stringify(text)) });

function stateOf(content: string): StoredBytes {
  const doc = new Y.Doc();
  doc.getText('content').insert(0, content);
  return pack(Y.encodeStateAsUpdate(doc));
}

/** The command lines of the processes of Yjs that this process has started, by pid. */
async function yjsProcesses(): Promise<ReadonlyMap<string, string>> {
  const run = promisify(execFile);
  const found = await run('pgrep', ['-P', String(process.pid), '-f', 'yjs-process']).catch(() => ({
    stdout: '',
  }));
  const pids = found.stdout.split('\n').filter((line) => line !== '');
  const lines = await Promise.all(pids.map(async (pid) => run('ps', ['-o', 'args=', '-p', pid])));
  return new Map(pids.map((pid, index) => [pid, lines[index]?.stdout.trim() ?? '']));
}

describe('Yjs work', () => {
  it('runs in this process only while it is small, and else in processes without the flags of the API', async () => {
    const tenant = { id: '1' } as Tenant;
    // Earlier test files of this worker process may have left some.
    for (const pid of (await yjsProcesses()).keys()) process.kill(Number(pid), 'SIGKILL');
    await eventually(async () => (await yjsProcesses()).size === 0);
    expect(await runYjs(tenant, replacing('stored'))).toHaveProperty('result');
    expect([...(await yjsProcesses())]).toEqual([]);
    const repeated = stateOf('x'.repeat(524_288));
    expect(repeated.bytes.length).toBeLessThan(1_024);
    expect(await runYjs(tenant, { ...work({ kind: 'none' }), base: [repeated] })).toHaveProperty('result');
    expect(await runYjs(tenant, work({ kind: 'merge', update: new Uint8Array([0, 0]) }))).toHaveProperty(
      'result',
    );
    const started = [...(await yjsProcesses()).values()];
    for (const limits of ['384 32', '256 32'])
      expect(started).toContainEqual(
        expect.stringMatching(new RegExp(`^\\S+ \\S+yjs-process\\.ts ${limits}$`)),
      );
  });
});

describe('interrupted work', () => {
  const unavailable = expect.objectContaining({ status: 'UNAVAILABLE' });
  const aPool = () => new YjsPool(1, () => new YjsProcess(foreignMemory), 600_000);

  it('is unavailable when its process is killed, and runs again in another', async () => {
    const before = new Set((await yjsProcesses()).keys());
    const pool = aPool();
    await pool.run('a', replacing('ready'));
    const pid = [...(await yjsProcesses()).keys()].find((one) => !before.has(one));
    const running = pool.run('a', replacing('long '.repeat(1_000_000)));
    process.kill(Number(pid), 'SIGKILL');
    await expect(running).rejects.toEqual(unavailable);
    expect(await pool.run('a', replacing('again'))).toHaveProperty('result');
  });

  it('is unavailable when its process cannot start', async () => {
    const { execPath } = process;
    process.execPath = '/missing/node';
    const pool = aPool();
    const running = pool.run('a', replacing('never'));
    process.execPath = execPath;
    await expect(running).rejects.toEqual(unavailable);
    expect(await pool.run('a', replacing('again'))).toHaveProperty('result');
  });

  it('is not taken for expensive work when time passes without CPU time', async () => {
    const thread = new YjsThread(foreignMemory, { elapsedMs: 1 });
    expect(await thread.run(replacing('long '.repeat(1_000_000)))).toEqual({ refused: 'interrupted' });
    expect(thread.alive).toBe(false);
  });
});
