import { describe, expect, it } from '@jest/globals';
import { KeyedSemaphore } from '../../api/rewriter/keyed-semaphore.ts';

const open = new AbortController().signal;

/** Callers that acquire the semaphore; `served` lists them in order, and each holds it until `end`. */
function callers(semaphore: KeyedSemaphore, key = 'key') {
  const served: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    served,
    end: (name: string) => ends.get(name)?.(),
    acquire: async (name: string, signal = open, maxConcurrent?: number): Promise<boolean> => {
      const release = await semaphore.acquire(key, signal, maxConcurrent);
      if (release === undefined) return false;
      served.push(name);
      ends.set(name, release);
      return true;
    },
  };
}

const soon = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('KeyedSemaphore', () => {
  it('admits maxConcurrent callers and then the others in order of arrival', async () => {
    const { acquire, end, served } = callers(new KeyedSemaphore({ maxConcurrent: 2, maxWaiting: 10 }));
    void Promise.all(['a', 'b', 'c', 'd'].map((name) => acquire(name)));
    await soon();
    expect(served).toEqual(['a', 'b']);
    end('b');
    await soon();
    expect(served).toEqual(['a', 'b', 'c']);
    end('a');
    end('c');
    await soon();
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('does not delay callers of another key', async () => {
    const semaphore = new KeyedSemaphore({ maxConcurrent: 1, maxWaiting: 10 });
    await callers(semaphore, 'one').acquire('a');
    expect(await callers(semaphore, 'other').acquire('b')).toBe(true);
  });

  it('returns undefined when maxWaiting callers wait', async () => {
    const { acquire, end } = callers(new KeyedSemaphore({ maxConcurrent: 1, maxWaiting: 1 }));
    await acquire('a');
    const second = acquire('b');
    expect(await acquire('c')).toBe(false);
    end('a');
    expect(await second).toBe(true);
  });

  it('skips waiting callers whose signal aborted', async () => {
    const { acquire, end, served } = callers(new KeyedSemaphore({ maxConcurrent: 1, maxWaiting: 10 }));
    const leaving = new AbortController();
    await acquire('a');
    const gone = acquire('b', leaving.signal);
    const last = acquire('c');
    leaving.abort(new Error('Gone.'));
    await expect(gone).rejects.toThrow('Gone.');
    end('a');
    await last;
    expect(served).toEqual(['a', 'c']);
    const early = AbortSignal.abort(new Error('Never came.'));
    await expect(acquire('d', early)).rejects.toThrow('Never came.');
  });

  it('applies a changed limit from the next call on', async () => {
    const { acquire, end, served } = callers(new KeyedSemaphore({ maxConcurrent: 1, maxWaiting: 10 }));
    void Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => acquire(name)));
    await soon();
    expect(served).toEqual(['a']);
    void acquire('f', open, 3);
    await soon();
    expect(served).toEqual(['a', 'b', 'c']);
    void acquire('g', open, 1);
    end('a');
    end('b');
    await soon();
    expect(served).toEqual(['a', 'b', 'c']);
    end('c');
    await soon();
    expect(served).toEqual(['a', 'b', 'c', 'd']);
  });

  it('admits new callers after a release', async () => {
    const { acquire, end } = callers(new KeyedSemaphore({ maxConcurrent: 1, maxWaiting: 1 }));
    for (const name of ['a', 'b', 'c']) {
      expect(await acquire(name)).toBe(true);
      end(name);
    }
  });
});
