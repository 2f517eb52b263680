import { afterAll, describe, expect, it } from '@jest/globals';
import { ConcurrentCalls, type Release } from '../../../../api/http/caller/concurrent-calls.ts';
import { deleteOrphanedCalls, enterCalls, leaveOtherCalls } from '../../../../domain/limits/limited-calls.ts';
import { inTransaction } from '../../../../platform/database/orm.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually } from '../../../support/eventually.ts';
import { aTenant, freshId } from '../../../support/factories.ts';
import { openedThroughProxy } from '../../../support/open-database.ts';

const api = await startTestApi();
afterAll(api.close);
const open = new AbortController().signal;

/**
 * Adds a process. Its heartbeat is a day ahead: those of a real process on a slow machine may be 4 s apart, after which
 * its calls do not count.
 */
async function aProcess(): Promise<string> {
  const id = freshId('proc');
  await api.database.sql(
    `insert into process (id, kind, version, build_id, host, started_at, heartbeat_at)
     values ($1, 'api', '1', 'b', 'h', now(), now() + interval '1 day')`,
    [id],
  );
  return id;
}

const ids = [await aProcess(), await aProcess()];

/** Two processes with their running calls and functions that end them. */
async function aScene(max: number, maxWaiting?: number) {
  let steady = true;
  const lane = { kind: 'ai_call', tenantId: (await aTenant(api)).id, max } as const;
  const running = new Map<string, Release>();
  let peak = 0;
  const processes = ids.map(
    (id) =>
      new ConcurrentCalls({
        orm: api.orm,
        processId: id,
        steady: () => steady,
        ...(maxWaiting && { maxWaiting }),
      }),
  );
  return {
    lane,
    running,
    processes,
    unsteady: () => {
      steady = false;
    },
    peak: () => peak,
    call: async (process: number, name: string, signal: AbortSignal | null = open): Promise<boolean> => {
      const release = await processes[process]?.acquire(lane, signal ?? undefined);
      if (release === undefined) return false;
      running.set(name, release);
      peak = Math.max(peak, running.size);
      return true;
    },
    end: (name: string): void => {
      void running.get(name)?.();
      running.delete(name);
    },
    rows: async () => api.database.sql('select from limited_call where api_key_id = $1', [lane.tenantId]),
  };
}

describe('concurrent calls of a key', () => {
  it('are limited over all processes together, and start in the order of arrival', async () => {
    const { call, end, running, rows } = await aScene(2);
    expect([await call(0, 'a'), await call(1, 'b')]).toEqual([true, true]);
    const waiting = [call(0, 'c')];
    await eventually(async () => (await rows()).length === 3);
    waiting.push(call(1, 'd'));
    await eventually(async () => (await rows()).length === 4);
    end('b');
    await eventually(() => running.has('c'));
    expect([...running.keys()]).toEqual(['a', 'c']);
    end('a');
    await eventually(() => running.has('d'));
    await Promise.all(waiting);
    for (const name of ['c', 'd']) end(name);
    await eventually(async () => (await rows()).length === 0);
  });

  it('never exceed the limit when they arrive at two processes at once', async () => {
    const { call, end, peak } = await aScene(7);
    const calls = Array.from({ length: 60 }, async (_, number) => {
      const name = String(number);
      expect(await call(number % 2, name)).toBe(true);
      // The first calls run until the limit is reached.
      await eventually(() => peak() === 7);
      end(name);
    });
    await Promise.all(calls);
    expect(peak()).toBe(7);
  });

  it('may use the whole limit in one process', async () => {
    const { call, running } = await aScene(5);
    await Promise.all(Array.from({ length: 5 }, async (_, number) => call(0, String(number), null)));
    expect(running.size).toBe(5);
    expect(await call(1, 'one more', null)).toBe(false);
  });

  it('do not count in any process once they have been released', async () => {
    const { lane, processes } = await aScene(1);
    for (let turn = 0; turn < 20; turn += 1) {
      const release = await processes[turn % 2]?.acquire(lane);
      expect(release).toBeDefined();
      await release?.();
    }
  });

  it('are refused while maxWaiting calls wait', async () => {
    const { call, end } = await aScene(1, 1);
    await call(0, 'a');
    const second = call(0, 'b');
    expect(await call(0, 'c')).toBe(false);
    end('a');
    expect(await second).toBe(true);
  });

  it('leave the queue when their signal aborts', async () => {
    const { call, end, running, rows } = await aScene(1);
    await call(0, 'a');
    const leaving = new AbortController();
    const gone = call(0, 'b', leaving.signal);
    const last = call(1, 'c');
    await eventually(async () => (await rows()).length === 3);
    leaving.abort(new Error('Gone.'));
    await expect(gone).rejects.toThrow('Gone.');
    end('a');
    expect(await last).toBe(true);
    expect([...running.keys()]).toEqual(['c']);
    await eventually(async () => (await rows()).length === 1);
  });

  it('do not count when their process has sent no heartbeat for 4 s', async () => {
    const { lane, call, rows } = await aScene(1);
    const id = await aProcess();
    const silent = new ConcurrentCalls({ orm: api.orm, processId: id, steady: () => true });
    expect(await silent.acquire(lane)).toBeDefined();
    expect(await call(0, 'refused', null)).toBe(false);
    const waiting = call(0, 'a');
    await eventually(async () => (await rows()).length === 2);
    await api.database.sql(`update process set heartbeat_at = now() - interval '4 s' where id = $1`, [id]);
    expect(await waiting).toBe(true);
    await api.database.sql('delete from process where id = $1', [id]);
    await deleteOrphanedCalls(api.orm.em.fork());
    expect(await rows()).toHaveLength(1);
  });

  it('count for a minute without a heartbeat while the asking process has not been steady', async () => {
    const { lane, call, unsteady } = await aScene(1);
    const id = await aProcess();
    const silent = new ConcurrentCalls({ orm: api.orm, processId: id, steady: () => true });
    expect(await silent.acquire(lane)).toBeDefined();
    const silentFor = async (seconds: number): Promise<unknown> =>
      api.database.sql(`update process set heartbeat_at = now() - $2 * interval '1 s' where id = $1`, [
        id,
        seconds,
      ]);
    unsteady();
    await silentFor(10);
    expect(await call(0, 'refused', null)).toBe(false);
    await silentFor(60);
    expect(await call(0, 'a', null)).toBe(true);
  });

  it('do not wait for a row that was committed without a response', async () => {
    const { lane, call, end, rows } = await aScene(1);
    await api.database.sql('insert into limited_call (api_key_id, kind, process) values ($1, $2, $3)', [
      lane.tenantId,
      lane.kind,
      ids[0],
    ]);
    expect(await call(0, 'a')).toBe(true);
    expect(await rows()).toHaveLength(1);
    expect(await call(0, 'refused', null)).toBe(false);
    end('a');
    await eventually(async () => (await rows()).length === 0);
  });

  it('leave no row when the connection breaks after the commit of the row', async () => {
    const { lane, rows } = await aScene(1);
    const { proxy, orm, close } = await openedThroughProxy(api.database, 3);
    const calls = new ConcurrentCalls({ orm, processId: ids[0] ?? '', steady: () => true });
    await (
      await calls.acquire(lane)
    )?.();
    await eventually(async () => (await rows()).length === 0);
    proxy.loseNextResponse();
    await expect(calls.acquire(lane)).rejects.toThrow();
    await eventually(async () => (await rows()).length === 0);
    await close();
  });

  it('leave no row when the row is committed only after the connection broke', async () => {
    const { lane, rows } = await aScene(1);
    const { orm } = api;
    const inserted = Promise.withResolvers<void>();
    const committing = Promise.withResolvers<void>();
    const entering = inTransaction(orm, async (em) => {
      await enterCalls(em, ids[0] ?? '', [lane]);
      inserted.resolve();
      await committing.promise;
    });
    await inserted.promise;
    let left = false;
    const leaving = inTransaction(orm, async (em) => leaveOtherCalls(em, ids[0] ?? '', [lane], [])).then(
      () => {
        left = true;
      },
    );
    const waiting = `select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and not l.granted`;
    await eventually(async () => left || (await api.database.sql(waiting)).length === 1);
    committing.resolve();
    await Promise.all([entering, leaving]);
    expect(await rows()).toEqual([]);
  });

  it.each([
    { left: 'a row that may be left', ended: false },
    { left: 'a call that has ended', ended: true },
  ])('are rejected while PostgreSQL cannot remove $left', async ({ ended }) => {
    const { lane, rows } = await aScene(2);
    const { proxy, orm, close } = await openedThroughProxy(api.database, 3);
    const calls = new ConcurrentCalls({ orm, processId: ids[0] ?? '', steady: () => true });
    const release = await calls.acquire(lane);
    if (!ended) {
      proxy.loseNextResponse();
      await expect(calls.acquire(lane)).rejects.toThrow();
    }
    await proxy.cut();
    if (ended) void release?.();
    const refused = calls.acquire(lane, AbortSignal.timeout(20_000));
    await expect(refused).rejects.not.toMatchObject({ name: 'TimeoutError' });
    await proxy.restore();
    await eventually(async () => (await rows()).length === (ended ? 0 : 1));
    await close();
  });

  it('do not wait for those of other keys', async () => {
    const [one, other] = [await aScene(1), await aScene(1)];
    await one.call(0, 'a');
    expect(await other.call(0, 'b', null)).toBe(true);
  });
});
