import { beforeAll, describe, expect, it } from '@jest/globals';
import { removeDescendants } from '../../../domain/cascade/remove-descendants.ts';
import type { RemainingThreads } from '../../../domain/comments/removal-job.ts';
import { findJob } from '../../../domain/jobs/find-job.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { tenantScene } from '../../support/document-scene.ts';
import { aDocument, type TestDocument } from '../../support/factories.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { explain, statementsOf } from '../../support/statements.ts';

/* One document with 100,200 annotations of Ada, most of them copies. The cases share it and run in order. */

const { api, tenant } = await tenantScene();
const copies = 100_100;
let document: TestDocument;

const update = '/v2/commentannotations/update';
const remove = async (members: object) =>
  tenant.ok<Record<string, object>>('/v2/commentannotations/delete', { ...document, ...members });

/** Adds annotations that were updated before all copies, or after them. */
async function add(annotationIds: readonly string[], when: 'first' | 'last', members: object = {}) {
  const lastUpdated = when === 'first' ? 1_000 : Date.now() + 3_600_000;
  const commentAnnotations = annotationIds.map((annotationId) => ({
    annotationId,
    commentData: [{ from: { userId: 'ada' } }],
    createdAt: 1_000,
    lastUpdated,
    ...members,
  }));
  await tenant.ok('/v2/commentannotations/add', { ...document, commentAnnotations });
}

const remaining = async (): Promise<string[]> => {
  const rows = await api.database.sql<{ id: string }>(
    `select ext_id as id from thread where api_key_id = $1 and ext_id not like 'copy-%' order by 1`,
    [tenant.id],
  );
  return rows.map(({ id }) => id);
};

const countOfCopies = async () =>
  api.database.sql(`select count(*)::int as count from thread where ext_id like 'copy-%'`);

const at = (id: string) => ({ location: { id } });
const by = (userId: string) => ({ commentData: [{ from: { userId } }] });

beforeAll(async () => {
  document = await aDocument(tenant);
  await add(['original'], 'first');
  const [{ copied } = { copied: '' }] = await api.database.sql<{ copied: string }>(
    `select string_agg(column_name, ', ') as copied from information_schema.columns
     where table_name = 'thread' and column_name not in ('id', 'ext_id', 'updated_at')`,
  );
  // In batches, each far below the time limit of a statement.
  for (let from = 1; from <= copies; from += 10_010)
    await api.database.sql(
      `insert into thread (ext_id, updated_at, ${copied})
       select 'copy-' || n, t.updated_at + n, ${copied} from thread t cross join generate_series($2::int, $2::int + 10009) n
       where t.api_key_id = $1 and t.ext_id = 'original'`,
      [tenant.id, from],
    );
});

describe('a deletion by a filter in a document with many annotations', () => {
  it('examines 20,000 annotations and leaves the others to a job', async () => {
    await add(['early', 'soon'], 'first', at('here'));
    await add(['late', 'later'], 'last', at('here'));
    await add(['beside'], 'last', at('there'));
    const { deletedCount, jobId, data } = await remove({ locationIds: ['here'] });
    expect([deletedCount, Object.keys(data).sort()]).toEqual([2, ['early', 'soon']]);
    expect(await remaining()).toEqual(['beside', 'late', 'later', 'original']);
    await runCascade(api, jobId);
    expect(await remaining()).toEqual(['beside', 'original']);
    expect(await countOfCopies()).toEqual([{ count: copies }]);
  });

  it('continues where the job was interrupted, and counts each annotation once', async () => {
    await add(['late', 'later'], 'last', at('far'));
    const { deletedCount, jobId = '' } = await remove({ locationIds: ['far'] });
    expect(deletedCount).toBe(0);
    const read = async () => {
      const [row] = await api.database.sql<{
        request: { records: { selection: RemainingThreads } };
        progress: { done: number } | null;
      }>('select request, progress from job where public_id = $1', [jobId]);
      return { after: row?.request.records.selection.rest?.after, done: row?.progress?.done };
    };
    const { after: first } = await read();
    await beginJob(api.orm, jobId);
    const job = await findJob(api.orm.em.fork(), jobId);
    if (job === null) throw new Error('missing job of the deletion');
    const steps = removeDescendants(api.orm, job);
    await steps.next();
    await steps.return();
    const { after: second } = await read();
    expect(Number(second?.updatedAt)).toBe(Number(first?.updatedAt) + 20_000);
    await runCascade(api, jobId);
    expect((await read()).done).toBeGreaterThanOrEqual(2);
    expect(await remaining()).toEqual(['beside', 'original']);
  });

  it('finds the annotations of a user by an index, without a job', async () => {
    await add(['bens'], 'last', by('ben'));
    let removed: object = {};
    const sent = await statementsOf(async () => {
      removed = await remove({ userIds: ['ben'] });
    });
    expect(removed).toMatchObject({ deletedCount: 1, data: { bens: { success: true } } });
    expect(removed).not.toHaveProperty('jobId');
    const { text = '' } = sent.find((one) => one.text.includes('from next where matches')) ?? {};
    expect((await explain(api.database, { text })).indexes).toContain('thread_creator');
    expect(await remove({ userIds: ['nobody'] })).toMatchObject({ deletedCount: 0, data: {} });
  });

  it('leaves the annotations of a user with many others to a job', async () => {
    await add(['adas'], 'last', at('here'));
    const { deletedCount, jobId } = await remove({ userIds: ['ada'], locationIds: ['here'] });
    expect(deletedCount).toBe(0);
    await runCascade(api, jobId);
    expect(await remaining()).toEqual(['beside', 'original']);
    expect(await countOfCopies()).toEqual([{ count: copies }]);
  });
});

describe('a list by a filter in a document with many annotations', () => {
  it('examines 20,000 annotations for a page, over all of its chunks', async () => {
    const status = { id: 'marked', name: 'Marked', type: 'default' };
    const metadata = { pad: 'x'.repeat(200_000) };
    const commentData = [{ from: { userId: 'ada' }, actions: [{ id: 'large', metadata }] }];
    for (let nth = 1; nth <= 12; nth += 1)
      await add([`marked-${String(nth)}`], 'first', {
        status,
        commentData,
        lastUpdated: 1_000 + 4_000 * nth,
      });
    const filter = { ...document, statusIds: ['marked'], order: 'asc', pageSize: 1_000 };
    const found: string[][] = [];
    let pageToken: string | undefined;
    do {
      const page = await tenant.ok<{ annotationId: string }[]>('/v2/commentannotations/get', {
        ...filter,
        pageToken,
      });
      found.push(page.data.map(({ annotationId }) => annotationId));
      ({ nextPageToken: pageToken } = page as { nextPageToken?: string });
    } while (pageToken !== undefined);
    expect(found.flat()).toEqual(Array.from({ length: 12 }, (_, at) => `marked-${String(at + 1)}`));
    expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(5);
    await remove({ annotationIds: found.flat() });
  });
});

describe('an update by a filter in a document with more than 100,000 annotations', () => {
  const updatedData = { priority: { id: 'P1', name: 'High' } };

  it('is refused when it cannot examine all, and writes nothing', async () => {
    await add(['first'], 'first', at('here'));
    expect(await tenant.refused(update, { ...document, locationIds: ['here'], updatedData })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'The document holds more than 100000 annotations. Send annotationIds.',
    });
    expect(await tenant.refused(update, { ...document, updatedData })).toMatchObject({
      message: 'The filters match more than 1000 annotations.',
    });
    expect(await api.database.sql(`select from thread where body ->> 'priority' is not null`)).toEqual([]);
  });

  it('finds annotations by their ids, and by a user with few of them', async () => {
    await add(['bens'], 'last', by('ben'));
    for (const filter of [{ annotationIds: ['first'] }, { userIds: ['ben'] }]) {
      const { data } = await tenant.ok<Record<string, object>>(update, {
        ...document,
        ...filter,
        updatedData,
      });
      expect(Object.values(data)).toMatchObject([{ success: true }]);
    }
  });
});
