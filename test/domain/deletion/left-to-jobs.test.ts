import { describe, expect, it } from '@jest/globals';
import { ada, annotation, annotationsScene, comment } from '../../api/comments/annotations-scene.ts';
import { runCascade } from '../../support/run-cascade.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';

const scene = await annotationsScene();
const { api, tenant, add, listed } = scene;

const grace = { userId: 'grace', name: 'Grace' };

describe('the deletion of a user whose annotations a call has deleted', () => {
  it('deletes those that the call left to its job', async () => {
    const ids = Array.from({ length: 1_000 }, (_, n) => `a${String(n)}`);
    await add(ids.map((annotationId) => annotation({ annotationId })));
    const shared = { commentData: [comment(), comment({ from: grace })] };
    await add(['v', 'w'].map((annotationId) => annotation({ annotationId, ...shared })));
    const { jobId, deletedCount } = await tenant.ok('/v2/commentannotations/delete', {
      ...scene.document,
      userIds: [ada.userId],
    });
    expect([deletedCount, jobId]).toEqual([1_000, expect.stringMatching(/^job_/)]);
    await add([annotation({ annotationId: 'later', ...shared })]);
    const deletion = await begunDeletion(api, tenant, { userIds: [ada.userId] });
    expect(await carriedOut(api, deletion)).toEqual([]);
    await runCascade(api, jobId);
    expect(await listed()).toEqual(['later']);
    const rows = await api.database.sql<{ comments: number }>(
      'select count(*)::int as comments from comment where api_key_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([{ comments: 1 }]);
  });
});
