import { describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/eventually.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { annotation, annotationsScene, comment } from './annotations-scene.ts';

const scene = await annotationsScene();
const { api, tenant, add, get, listed } = scene;

const location = { id: 'here' };

const annotations = (ids: readonly string[], members: object = {}) =>
  ids.map((annotationId) => annotation({ annotationId, ...members }));

const agent = { agentSource: 'own', agentId: 'bot' };
const suggestions = { type: 'suggestion', commentData: [comment({ agent })] };

/** Deletes 1,002 annotations, of which the call leaves `v` and `w` to a job that has not begun. */
async function leftToJob(selection: object = {}, members: object = {}): Promise<string | undefined> {
  const ids = Array.from({ length: 1_000 }, (_, n) => `a${String(n)}`);
  await add(annotations(ids, { location, ...members }));
  await add(annotations(['v', 'w'], { location, commentData: [comment(), comment()], ...members }));
  const { jobId, deletedCount } = await tenant.ok('/v2/commentannotations/delete', {
    ...scene.document,
    ...selection,
  });
  expect([deletedCount, jobId]).toEqual([1_000, expect.stringMatching(/^job_/)]);
  expect(await listed()).toEqual(expect.arrayContaining(['v', 'w']));
  return jobId;
}

describe('an annotation that a deletion left to a job', () => {
  it.each([
    ['with other content', { status: { id: 'CLOSED', name: 'Closed', type: 'terminal' } }],
    ['with equal content', {}],
  ] as const)('is new when it is added again %s, and outlasts the job', async (_, members) => {
    const jobId = await leftToJob();
    const outcomes = await add(annotations(['v', 'beside'], members));
    expect([outcomes['v'], outcomes['beside']]).toEqual([
      expect.objectContaining({ success: true }),
      expect.objectContaining({ success: true }),
    ]);
    const { data } = await get();
    const again = data.find((found) => found?.annotationId === 'v');
    expect(again).toMatchObject({ ...members, comments: [expect.anything()] });
    await runCascade(api, jobId);
    expect(new Set(await listed())).toEqual(new Set(['beside', 'v']));
    expect((await get()).data).toContainEqual(again);
    expect(await add(annotations(['v'], members))).toMatchObject({ v: { success: true } });
  });

  it('is added again when its job deletes it during the call', async () => {
    const jobId = await leftToJob();
    const job = await api.database.connect();
    await job.query('begin');
    const thread = `(select t.id from thread t join organization o on o.id = t.org_id
      where o.ext_id = $1 and t.ext_id = 'v')`;
    const { organizationId } = scene.document;
    await job.query(`select from thread where id = ${thread} for update`, [organizationId]);
    const adding = add(annotations(['v']));
    // The call has found the annotation, and waits to remove it.
    await eventually(async () => {
      const waiting = await api.database.sql(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiting.length > 0;
    });
    await job.query(`delete from comment where thread_id = ${thread}`, [organizationId]);
    await job.query(`delete from thread where id = ${thread}`, [organizationId]);
    await job.query('commit');
    expect(await adding).toMatchObject({ v: { success: true } });
    await runCascade(api, jobId);
    expect(await listed()).toEqual(['v']);
  });

  it('is missing to writes below it and to updates', async () => {
    const jobId = await leftToJob();
    const { document } = scene;
    const comments = { ...document, annotationId: 'v', commentData: [comment()] };
    expect(await tenant.refused('/v2/commentannotations/comments/add', comments)).toMatchObject({
      status: 'NOT_FOUND',
    });
    const update = {
      ...document,
      annotationIds: ['v'],
      updatedData: { priority: { id: 'P1', name: 'High' } },
    };
    expect((await tenant.ok('/v2/commentannotations/update', update)).data).toMatchObject({
      v: { success: false },
    });
    await runCascade(api, jobId);
  });

  it.each([
    ['moves to its location', { locationIds: ['here'] }, {}, { location: { id: 'there' } }, { location }],
    [
      'makes pending again',
      { agentSuggestions: true },
      suggestions,
      { suggestion: { status: 'accepted' } },
      { suggestion: { status: 'pending' } },
    ],
  ] as const)(
    'is joined by no other that an update %s until the job has ended',
    async (_, selection, members, apart, joining) => {
      const { document } = scene;
      const path = '/v2/commentannotations/update';
      const update = (updatedData: object) => ({ ...document, annotationIds: ['other'], updatedData });
      await add(annotations(['other'], members));
      await tenant.ok(path, update(apart));
      const jobId = await leftToJob(selection, members);
      expect(await tenant.refused(path, update(joining))).toMatchObject({ status: 'ABORTED' });
      await runCascade(api, jobId);
      await tenant.ok(path, update(joining));
      expect(await listed()).toEqual(['other']);
    },
  );

  it('is still in use in another document', async () => {
    const jobId = await leftToJob();
    const { document } = scene;
    const other = { ...document, documentId: `${document.documentId}-other`, createDocument: true };
    await add(annotations(['v']), other);
    const again = await add(annotations(['v'], { commentData: [comment({ commentText: 'Other' })] }), other);
    expect(again).toMatchObject({ v: { success: false, code: 'already-exists' } });
    await runCascade(api, jobId);
    expect(await listed()).toEqual(['v']);
  });
});
