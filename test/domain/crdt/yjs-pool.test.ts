import { describe, expect, it } from '@jest/globals';
import { foreignMemory } from '../../../domain/crdt/yjs-limits.ts';
import { maxWaitingBytes, YjsPool, type YjsResponse, type YjsRunner } from '../../../domain/crdt/yjs-pool.ts';
import { YjsProcess } from '../../../domain/crdt/yjs-process-runner.ts';
import { YjsThread } from '../../../domain/crdt/yjs-thread-runner.ts';
import type { YjsWork } from '../../../domain/crdt/yjs-work.ts';
import { eventually } from '../../support/eventually.ts';
import { longAttributes } from '../../support/hostile-updates.ts';

const location = { type: 'array', contentKey: 'content' } as const;
const json = (content: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(content));
const replacing = (content: unknown): YjsWork => ({
  ...location,
  base: [],
  change: { kind: 'replace', json: json(content) },
});
/** The wait for a runner, on a machine of any speed. */
const slowMachineMs = 600_000;
const littleMemory = { oldMebibytes: 48, youngMebibytes: 12 };
const small = (): YjsWork => replacing([1]);

describe.each<[string, () => YjsRunner]>([
  ['threads', () => new YjsThread(littleMemory)],
  ['processes', () => new YjsProcess(littleMemory)],
])('a pool of %s', (_kind, start) => {
  it('ends a runner over its memory limit, and replaces it for the next call', async () => {
    const pool = new YjsPool(1, start, slowMachineMs);
    const many = Array.from({ length: 100_000 }, (_, number) => ({
      [`member-${String(number)}`]: [[[[number]]]],
    }));
    // A slow machine may interrupt the work.
    const refused = eventually(async () => pool.run('a', replacing(many)));
    const [greedy, after] = await Promise.all([refused, pool.run('a', small())]);
    expect(greedy).toEqual({ refused: 'too-costly' });
    expect(after).toMatchObject({ result: { decoded: json([1]) } });
  });

  it('returns an error of Yjs on stored content, and keeps the runner', async () => {
    let started = 0;
    const pool = new YjsPool(
      1,
      () => {
        started += 1;
        return start();
      },
      slowMachineMs,
    );
    const broken = { ...small(), base: [{ bytes: new Uint8Array([1]), codec: 0 as const }] };
    expect(await pool.run('a', broken)).toEqual({
      failed: expect.objectContaining({ message: 'Unexpected end of array' }),
    });
    expect(await pool.run('a', small())).toHaveProperty('result');
    expect(started).toBe(1);
  });

  it('serves many callers', async () => {
    const pool = new YjsPool(2, start, slowMachineMs);
    const responses = await Promise.all(Array.from({ length: 50 }, async () => pool.run('a', small())));
    for (const response of responses) expect(response).toMatchObject({ result: { decoded: json([1]) } });
  });
});

describe('a pool', () => {
  /** A pool whose work ends when the test calls `end`. */
  const heldPool = (size: number) => {
    const begun: { readonly owner: string; readonly end: () => void }[] = [];
    const pool = new YjsPool(size, () => ({
      alive: true,
      run: async ({ contentKey }) =>
        new Promise<YjsResponse>((resolve) => {
          begun.push({ owner: contentKey, end: () => resolve({ refused: 'not-valid' }) });
        }),
    }));
    const call = async (owner: string) => pool.run(owner, { ...small(), contentKey: owner });
    const owners = () => begun.map(({ owner }) => owner);
    return { begun, owners, call };
  };

  /** A pool of one runner, whose calls return once `end` is called. */
  const heldPoolOfOne = () => {
    const { promise, resolve } = Promise.withResolvers<YjsResponse>();
    const pool = new YjsPool(1, () => ({ alive: true, run: async () => promise }), slowMachineMs);
    return { pool, end: () => resolve({ refused: 'too-costly' }) };
  };

  it('refuses work beyond the bytes that may wait, of one owner and of all', async () => {
    const { pool, end } = heldPoolOfOne();
    const bytes = new Uint8Array(maxWaitingBytes.owner / 4);
    const all: Promise<string>[] = [];
    const run = async (owner: string): Promise<string> => {
      const ended = pool.run(owner, { ...small(), base: [{ bytes, codec: 0 }] }).then(
        () => 'run',
        ({ status }: { status: string }) => status,
      );
      all.push(ended);
      return Promise.race([ended, new Promise<string>((resolve) => setImmediate(() => resolve('waits')))]);
    };
    const outcomes: string[] = [];
    for (const owner of ['a', 'a', 'a', 'a', 'a', 'b', 'b', 'b', 'c', 'c']) outcomes.push(await run(owner));
    // The first one runs. Three of an owner fit beside what each call occupies itself, and seven of all.
    const [waits, refused] = ['waits', 'UNAVAILABLE'];
    expect(outcomes).toEqual([waits, waits, waits, waits, refused, waits, waits, waits, waits, refused]);
    end();
    await Promise.all(all);
  });

  it('lets work with a state of the max size and an update wait', async () => {
    const { pool, end } = heldPoolOfOne();
    const runs = pool.run('a', small());
    const bytes = new Uint8Array(maxWaitingBytes.owner);
    const waits = pool.run('a', { ...small(), base: [{ bytes, codec: 0 }] });
    const turn = new Promise((resolve) => setImmediate(() => resolve('waits')));
    expect(await Promise.race([waits, turn])).toBe('waits');
    end();
    await Promise.all([runs, waits]);
  });

  it('keeps its size when a runner cannot start, and refuses only the call that needs it', async () => {
    let fails = true;
    const runners: { alive: boolean; readonly end: () => void }[] = [];
    const pool = new YjsPool(
      1,
      () => {
        if (fails) throw new Error('EAGAIN');
        const { promise, resolve } = Promise.withResolvers<YjsResponse>();
        const runner = {
          alive: true,
          run: async () => promise,
          end: () => resolve({ refused: 'not-valid' }),
        };
        runners.push(runner);
        return runner;
      },
      slowMachineMs,
    );
    const unavailable = expect.objectContaining({ status: 'UNAVAILABLE' });
    await expect(pool.run('a', small())).rejects.toEqual(unavailable);
    fails = false;
    const calls = [pool.run('a', small()), pool.run('b', small())];
    const [first] = runners;
    if (first === undefined) throw new Error('no runner');
    fails = true;
    first.alive = false;
    first.end();
    const [ended, refused] = await Promise.allSettled(calls);
    expect(ended).toMatchObject({ status: 'fulfilled', value: { refused: 'not-valid' } });
    expect(refused).toEqual({ status: 'rejected', reason: unavailable });
    fails = false;
    const last = pool.run('b', small());
    runners[1]?.end();
    expect(await last).toEqual({ refused: 'not-valid' });
  });

  it('stays free for others while one owner uses its full share', async () => {
    const { begun, owners, call } = heldPool(2);
    const calls = ['busy', 'busy', 'busy', 'calm'].map(call);
    await new Promise(setImmediate);
    expect(owners()).toEqual(['busy', 'calm']);
    for (let ended = 0; ended < calls.length; ended += 1) {
      begun[ended]?.end();
      await new Promise(setImmediate);
    }
    await Promise.all(calls);
  });

  it('serves waiting owners in turn, however many calls one of them has', async () => {
    const { begun, owners, call } = heldPool(1);
    const calls = ['a', 'a', 'a', 'b', 'b', 'c'].map(call);
    for (let ended = 0; ended < calls.length; ended += 1) {
      await new Promise(setImmediate);
      begun[ended]?.end();
    }
    await Promise.all(calls);
    expect(owners()).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
  });
});

describe('the main process', () => {
  it('survives bytes that end the process that applies them', async () => {
    const work = { type: 'xmltext', contentKey: 'content', base: [] } as const;
    const change = { kind: 'merge', update: longAttributes() } as const;
    // A slow machine may interrupt the work.
    await eventually(async () => {
      const runner = new YjsProcess(foreignMemory);
      expect(await runner.run({ ...work, change })).toEqual({ refused: 'too-costly' });
      expect(runner.alive).toBe(false);
    });
  });
});
