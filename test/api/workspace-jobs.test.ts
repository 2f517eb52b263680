import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

const path = '/v2/workspace/jobs/list';

interface Job {
  readonly jobId: string;
  readonly keyId: string;
  readonly status: string;
}

/** Jobs of a key: `count` of the status, newer than all so far. */
async function addJobs(
  key: TestTenant,
  prefix: string,
  count: number,
  status: number,
  kind = 4,
): Promise<void> {
  await api.database.sql(
    `insert into job (api_key_id, public_id, kind, status, ended_at)
       select $1, $2::text || n, $4::smallint, $3::smallint, case when $3::smallint > 1 then now() end from generate_series(1, $5::int) n`,
    [key.id, prefix, status, kind, count],
  );
}

async function list(key: TestTenant, data: object = {}): Promise<readonly Job[]> {
  const jobs: Job[] = [];
  let pageToken: string | undefined;
  do {
    const page = await key.workspace.ok(path, { ...data, pageToken });
    jobs.push(...(page.data as readonly Job[]));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return jobs;
}

const idsOf = (jobs: readonly Job[]): readonly string[] => jobs.map(({ jobId }) => jobId);

describe('the jobs of a workspace', () => {
  it('are not those of deleted keys', async () => {
    const kept = await aTenant(api);
    const deleted = await aTenant(api, { workspace: kept.workspace });
    await addJobs(kept, 'kept-', 1, 2);
    await addJobs(deleted, 'gone-', 1, 2);
    await api.database.sql('update api_key set deleted_at = now() where id = $1', [deleted.id]);
    expect(idsOf(await list(kept))).toEqual(['kept-1']);
  });

  it('are those of all its keys, newest first, in pages', async () => {
    const first = await aTenant(api);
    const second = await aTenant(api, { workspace: first.workspace });
    const stranger = await aTenant(api);
    await addJobs(stranger, 'foreign-', 1, 2);
    await addJobs(first, 'a-', 2, 2);
    await addJobs(second, 'b-', 2, 3);
    await addJobs(first, 'c-', 1, 0, 2);
    const newestFirst = ['c-1', 'b-2', 'b-1', 'a-2', 'a-1'];
    expect(idsOf(await list(first))).toEqual(newestFirst);
    for (const pageSize of [1, 2, 4]) expect(idsOf(await list(first, { pageSize }))).toEqual(newestFirst);
    expect(await list(first, { pageSize: 3, status: 'failed' })).toMatchObject([
      { jobId: 'b-2', keyId: second.keyId, status: 'failed' },
      { jobId: 'b-1', keyId: second.keyId },
    ]);
    expect(idsOf(await list(first, { status: 'pending' }))).toEqual(['c-1']);
    expect(idsOf(await list(first, { kind: 'cascade', status: 'completed', pageSize: 1 }))).toEqual([
      'a-2',
      'a-1',
    ]);
    expect(idsOf(await list(first, { keyId: second.keyId }))).toEqual(['b-2', 'b-1']);
    expect(await first.workspace.refused(path, { keyId: stranger.keyId })).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('are complete although each page examines at most 20,000 of them', async () => {
    const many = await aTenant(api);
    const few = await aTenant(api, { workspace: many.workspace });
    await addJobs(few, 'old-', 1, 3);
    await addJobs(many, 'completed-', 15_000, 2);
    await addJobs(few, 'between-', 1, 3);
    await addJobs(many, 'later-', 15_000, 2);
    expect(idsOf(await list(many, { status: 'failed' }))).toEqual(['between-1', 'old-1']);
  });

  it('are read by an index that begins with the key in a large installation', async () => {
    const key = await aTenant(api);
    await withLargeTables(api.database, key.id, ['job']);
    for (const data of [{}, { kind: 'cascade' }, { status: 'failed' }, { status: 'pending' }]) {
      const sent = await statementsOf(() => key.workspace.ok(path, { ...data, pageSize: 10 }));
      const read = sent.find(({ text }) => text.includes('boundary'));
      const { wholeTables, conditions } = await explain(api.database, read ?? { text: '' }, [
        'enable_bitmapscan',
        'enable_hashjoin',
        'enable_mergejoin',
        'enable_sort',
      ]);
      expect([data, wholeTables]).toEqual([data, []]);
      expect([data, conditions]).toEqual([
        data,
        expect.arrayContaining([expect.stringContaining('keys.id')]),
      ]);
    }
  });
});
