import { describe, expect, it } from '@jest/globals';
import { aDocument } from '../../support/factories.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { idsOf, recording, recordingsScene } from './recordings-scene.ts';

const scene = await recordingsScene();
const { api, tenant, add, get } = scene;

const ids = Array.from({ length: 1_000 }, (_, n) => `a${String(n)}`);

/** Deletes 1,002 recordings, of which the call leaves `v` and `w` to a job that has not begun. */
async function leftToJob(by: 'document' | 'ids'): Promise<string | undefined> {
  const { organizationId, documentId } = scene.document;
  // By document, the call removes those updated first; by ids, those with the first ids.
  await add(ids.map((annotationId) => recording({ annotationId, lastUpdated: 5, createdAt: 1 })));
  await add(['v', 'w'].map((annotationId) => recording({ annotationId, lastUpdated: 9, createdAt: 7 })));
  const other = await aDocument(tenant, { organizationId });
  if (by === 'ids') {
    await add(
      [...ids.slice(2), 'v', 'w'].map((annotationId) => recording({ annotationId })),
      other,
    );
  }
  const { jobId, deletedCount } = await tenant.ok('/v2/recordings/delete', {
    organizationId,
    ...(by === 'ids' ? { recordingIds: [...ids.slice(2), 'v', 'w'] } : { documentId }),
  });
  expect([deletedCount, jobId]).toEqual([1_000, expect.stringMatching(/^job_/)]);
  return jobId;
}

describe('a recording that a deletion left to a job', () => {
  it.each([
    ['document', 'with other content', { note: 'next' }],
    ['document', 'with equal content', {}],
    ['ids', 'with other content', { note: 'next' }],
    ['ids', 'with equal content', {}],
  ] as const)('by %s is new when it is added again %s, and outlasts the job', async (by, _, members) => {
    const jobId = await leftToJob(by);
    await add([recording({ annotationId: 'v', ...members }), recording({ annotationId: 'beside' })]);
    const again = (await get(scene.document)).find(({ annotationId }) => annotationId === 'v');
    // A new recording has no former time.
    expect(again?.createdAt).toBeGreaterThan(7);
    await runCascade(api, jobId);
    const left = await get();
    expect(idsOf(left).toSorted()).toEqual(by === 'ids' ? ['a0', 'a1', 'beside', 'v'] : ['beside', 'v']);
    expect(left).toContainEqual(again);
    expect(again).toMatchObject(members);
  });

  it('stays to be removed while others are added to another document', async () => {
    const jobId = await leftToJob('document');
    const other = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([recording({ annotationId: 'v' })], other);
    await add([recording({ annotationId: 'v' })], other);
    await runCascade(api, jobId);
    expect(await get(scene.document)).toEqual([]);
    expect(idsOf(await get(other))).toEqual(['v']);
  });
});
