import { afterAll, describe, expect, it } from '@jest/globals';
import { keepRegistered } from '../../domain/processes/keep-registered.ts';
import { deleteDeadProcesses, listProcesses } from '../../domain/processes/list-processes.ts';
import { startTestApi } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { openedThroughProxy } from '../support/open-database.ts';

const api = await startTestApi();
afterAll(api.close);

const listed = async () => listProcesses(api.orm.em.fork(), { after: '', limit: 100 });

describe('the processes of a deployment', () => {
  it('register with version and build, and disappear when they stop', async () => {
    const failures: unknown[] = [];
    const worker = keepRegistered({
      orm: api.orm,
      kind: 'worker',
      onFailure: (error) => failures.push(error),
      onLogLevel: () => undefined,
    });
    const [first, second] = await eventually(async () => {
      const both = (await listed()).toSorted((a, b) => a.kind.localeCompare(b.kind));
      expect(both.map(({ kind }) => kind)).toEqual(['api', 'worker']);
      return both;
    });
    expect(second).toMatchObject({
      id: expect.stringMatching(/^proc_/),
      version: first?.version,
      build_id: expect.stringMatching(/^[0-9a-f]{20}$/),
      host: expect.any(String),
    });
    expect(second?.started_at.getTime()).toBeLessThan(second?.heartbeat_at.getTime() ?? 0);
    await worker.close();
    // `close` waits only 1 s for the database.
    await eventually(async () => expect((await listed()).map(({ kind }) => kind)).toEqual(['api']));
    expect(failures).toEqual([]);
  });

  it('are not steady during an outage of the database, nor right after it', async () => {
    const { proxy, orm, close } = await openedThroughProxy(api.database, 1);
    const registered = keepRegistered({
      orm,
      kind: 'worker',
      onFailure: () => undefined,
      onLogLevel: () => undefined,
    });
    const heartbeats = async () =>
      api.database.sql<{ at: string }>('select heartbeat_at::text as at from process where id = $1', [
        registered.id,
      ]);
    await registered.begun;
    await eventually(() => registered.steady());
    await proxy.cut();
    await eventually(() => !registered.steady());
    const [before] = await heartbeats();
    await proxy.restore();
    await eventually(async () => expect(await heartbeats()).not.toEqual([before]));
    expect(registered.steady()).toBe(false);
    await registered.close();
    await close();
  });

  it('are not listed, and are removed, after a minute without a heartbeat', async () => {
    await api.database.sql(
      `insert into process (id, kind, version, build_id, host, started_at, heartbeat_at) values
         ('proc_dead', 'worker', '1', 'b', 'h', now(), now() - interval '61 seconds'),
         ('proc_late', 'worker', '1', 'b', 'h', now(), now() - interval '30 seconds')`,
    );
    const ids = (await listed()).map(({ id }) => id);
    expect(ids).toContain('proc_late');
    expect(ids).not.toContain('proc_dead');
    await deleteDeadProcesses(api.orm.em.fork());
    const rows = await api.database.sql<{ id: string }>(
      "select id from process where id in ('proc_dead', 'proc_late')",
    );
    expect(rows).toEqual([{ id: 'proc_late' }]);
  });
});
