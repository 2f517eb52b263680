import { describe, expect, it } from '@jest/globals';
import { activities, aDocument, addActivityLogs } from '../../support/factories.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { tenant, add, read } = scene;

describe('deleting activity logs', () => {
  it.each([
    [{ activityIds: ['a', 'zz'] }, ['a']],
    [{ targetEntityId: 't1' }, ['a', 'c']],
    [{ documentId: 'here' }, ['a', 'b']],
    [{ documentId: 'here', targetEntityId: 't1' }, ['a']],
    [{ documentId: 'here', activityIds: ['a', 'c'] }, ['a']],
  ])('by %j removes only matching records', async (selection, removed) => {
    const second = await aDocument(tenant, { organizationId: scene.document.organizationId });
    await add([comment({ id: 'a', targetEntityId: 't1' }), comment({ id: 'b' })]);
    await tenant.ok('/v2/activities/add', {
      ...second,
      activities: [comment({ id: 'c', targetEntityId: 't1' }), comment({ id: 'd' })],
    });
    const result = await tenant.ok<Record<string, { success: boolean }>>('/v2/activities/delete', {
      organizationId: scene.document.organizationId,
      ...selection,
      ...('documentId' in selection && { documentId: scene.document.documentId }),
    });
    expect(result.message).toBe('Activity(s) deleted successfully.');
    expect(result.deletedCount).toBe(removed.length);
    const succeeded = Object.entries(result.data).filter(([, { success }]) => success);
    expect(succeeded.map(([id]) => id).toSorted()).toEqual(removed);
    const left = (await read()).map(({ id }) => id).toSorted();
    expect(left).toEqual(['a', 'b', 'c', 'd'].filter((id) => !removed.includes(id)));
  });

  it('refuses a request without a filter', async () => {
    const refusal = await tenant.refused('/v2/activities/delete', {
      organizationId: scene.document.organizationId,
    });
    expect([refusal.status, refusal.message]).toEqual([
      'INVALID_ARGUMENT',
      'At least one of documentId, targetEntityId or activityIds must be provided.',
    ]);
  });

  it('removes 1,000 in the call and names the job that removes the rest', async () => {
    await addActivityLogs(tenant, scene.document, activities(1_500));
    const result = await tenant.ok<object>('/v2/activities/delete', scene.document);
    expect(result.deletedCount).toBe(1_000);
    expect(Object.keys(result.data)).toHaveLength(1_000);
    expect(result.jobId).toMatch(/^job_/);
  });
});
