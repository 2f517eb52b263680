import { describe, expect, it } from '@jest/globals';
import { KeyedSemaphore } from '../../api/rewriter/keyed-semaphore.ts';

const open = new AbortController().signal;

/** What has been served, in order; each keeps its turn until it is ended. */
function line(turns: KeyedSemaphore, kind = 'key') {
  const served: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    served,
    end: (name: string) => ends.get(name)?.(),
    ask: async (name: string, signal = open): Promise<boolean> => {
      const leave = await turns.take(kind, signal);
      if (leave === undefined) return false;
      served.push(name);
      ends.set(name, leave);
      return true;
    },
  };
}

const soon = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('turns', () => {
  it('serve so many at once, and the others in the order in which they came', async () => {
    const { ask, end, served } = line(new KeyedSemaphore({ atOnce: 2, maxWaiting: 10 }));
    void Promise.all(['a', 'b', 'c', 'd'].map((name) => ask(name)));
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

  it('of one kind never wait for those of another', async () => {
    const turns = new KeyedSemaphore({ atOnce: 1, maxWaiting: 10 });
    await line(turns, 'one').ask('a');
    expect(await line(turns, 'other').ask('b')).toBe(true);
  });

  it('are not waited for in a line that is too long', async () => {
    const { ask, end } = line(new KeyedSemaphore({ atOnce: 1, maxWaiting: 1 }));
    await ask('a');
    const second = ask('b');
    expect(await ask('c')).toBe(false);
    end('a');
    expect(await second).toBe(true);
  });

  it('pass over who has gone away', async () => {
    const { ask, end, served } = line(new KeyedSemaphore({ atOnce: 1, maxWaiting: 10 }));
    const leaving = new AbortController();
    await ask('a');
    const gone = ask('b', leaving.signal);
    const last = ask('c');
    leaving.abort(new Error('Gone.'));
    await expect(gone).rejects.toThrow('Gone.');
    end('a');
    await last;
    expect(served).toEqual(['a', 'c']);
    const early = AbortSignal.abort(new Error('Never came.'));
    await expect(ask('d', early)).rejects.toThrow('Never came.');
  });

  it('that have ended leave room for all again', async () => {
    const { ask, end } = line(new KeyedSemaphore({ atOnce: 1, maxWaiting: 1 }));
    for (const name of ['a', 'b', 'c']) {
      expect(await ask(name)).toBe(true);
      end(name);
    }
  });
});
