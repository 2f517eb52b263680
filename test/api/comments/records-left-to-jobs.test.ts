import { describe, expect, it } from '@jest/globals';
import { runCascade } from '../../support/run-cascade.ts';
import { annotation, annotationsScene, comment } from './annotations-scene.ts';

const scene = await annotationsScene();
const { api, tenant, add, get, listed } = scene;

const annotations = (ids: readonly string[], members: object = {}) =>
  ids.map((annotationId) => annotation({ annotationId, ...members }));

/** Deletes 1,002 annotations, of which the call leaves `v` and `w` to a job that has not begun. */
async function leftToJob(by: 'document' | 'ids'): Promise<string | undefined> {
  const ids = Array.from({ length: 1_000 }, (_, n) => `a${String(n)}`);
  await add(annotations(ids));
  await add(annotations(['v', 'w'], { commentData: [comment(), comment()] }));
  const { jobId, deletedCount } = await tenant.ok('/v2/commentannotations/delete', {
    ...scene.document,
    ...(by === 'ids' && { annotationIds: [...ids, 'v', 'w'] }),
  });
  expect([deletedCount, jobId]).toEqual([1_000, expect.stringMatching(/^job_/)]);
  expect((await listed()).toSorted()).toEqual(['v', 'w']);
  return jobId;
}

describe('an annotation that a deletion left to a job', () => {
  it.each([
    ['document', 'with other content', { status: { id: 'CLOSED', name: 'Closed', type: 'terminal' } }],
    ['document', 'with equal content', {}],
    ['ids', 'with equal content', {}],
  ] as const)('by %s is new when it is added again %s, and outlasts the job', async (by, _, members) => {
    const jobId = await leftToJob(by);
    const outcomes = await add(annotations(['v', 'beside'], members));
    expect([outcomes['v'], outcomes['beside']]).toEqual([
      expect.objectContaining({ success: true }),
      expect.objectContaining({ success: true }),
    ]);
    const { data } = await get();
    const again = data.find((found) => found?.annotationId === 'v');
    expect(again).toMatchObject({ ...members, comments: [expect.anything()] });
    await runCascade(api, jobId);
    expect((await listed()).toSorted()).toEqual(['beside', 'v']);
    expect((await get()).data).toContainEqual(again);
    expect(await add(annotations(['v'], members))).toMatchObject({ v: { success: true } });
  });

  it('is still in use in another document', async () => {
    const jobId = await leftToJob('document');
    const { document } = scene;
    const other = { ...document, documentId: `${document.documentId}-other`, createDocument: true };
    await add(annotations(['v']), other);
    const again = await add(annotations(['v'], { commentData: [comment({ commentText: 'Other' })] }), other);
    expect(again).toMatchObject({ v: { success: false, error: { code: 'already-exists' } } });
    await runCascade(api, jobId);
    expect(await listed()).toEqual(['v']);
  });
});
