import { describe, expect, it } from '@jest/globals';
import { aDocument, aFolder, aTenant, withActivityLogs } from '../../support/factories.ts';
import { activityLogsScene, comment } from './activity-logs-scene.ts';

const scene = await activityLogsScene();
const { api, tenant, add, read } = scene;

describe('updating activity logs', () => {
  it('replaces members whole, one record at a time, and keeps the others', async () => {
    await add([comment({ id: 'a', entityData: { x: 1, y: 2 }, actionIcon: 'pen' })]);
    const result = await tenant.ok('/v2/activities/update', {
      organizationId: scene.document.organizationId,
      activities: [
        { id: 'a', entityData: { x: 3 } },
        { id: 'zz', actionIcon: 'no' },
      ],
    });
    expect(result).toEqual({
      status: 'success',
      message: 'Activity(s) updated successfully.',
      data: {
        a: { success: true, id: 'a', message: 'Activity updated.' },
        zz: { success: false, id: 'zz', message: 'Failed to update activity.', code: 'not-found' },
      },
      failedCount: 1,
    });
    expect(await read()).toMatchObject([{ entityData: { x: 3 }, actionIcon: 'pen' }]);
  });

  it('changes the log of a comment beyond 256 KiB, and does not let it grow', async () => {
    const texts = { commentText: 'x'.repeat(50_000), commentHtml: 'x'.repeat(195_000) };
    const context = { pad: 'x'.repeat(16_000) };
    await tenant.ok('/v2/commentannotations/add', {
      ...scene.document,
      commentAnnotations: [
        {
          targetElement: { pad: 'x'.repeat(10_000) },
          commentData: [{ from: { userId: 'ada' }, ...texts, context, triggerActivities: true }],
        },
      ],
    });
    const [log] = await read();
    expect(Buffer.byteLength(JSON.stringify(log))).toBeGreaterThan(262_144 + 1_000);
    const update = async (members: object) => {
      const { organizationId } = scene.document;
      const activities = [{ id: log?.id, ...members }];
      return (await tenant.ok('/v2/activities/update', { organizationId, activities })).failedCount;
    };
    expect(await update({ actionIcon: 'pen' })).toBe(1);
    expect(await update({ actionIcon: 'pen', changes: {}, entityData: {} })).toBe(0);
    expect(await read()).toMatchObject([{ actionIcon: 'pen' }]);
  });

  it.each(['document', 'folder'])('does not find records of a deleted %s', async (deleted) => {
    const { organizationId } = scene.document;
    const { folderId } = await aFolder(tenant, { organizationId });
    const { documentId } = await aDocument(tenant, { organizationId });
    await tenant.ok('/v2/organizations/documents/move', {
      organizationId,
      documentIds: [documentId],
      folderId,
    });
    await add([comment({ id: 'a', timestamp: 1 })], { documentId });
    await (deleted === 'document'
      ? tenant.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] })
      : tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId }));
    const activities = [{ id: 'a', actionIcon: 'pen' }];
    for (const [path, data] of [
      ['/v2/activities/update', { activities }],
      ['/v2/activities/delete', { activityIds: ['a'] }],
    ] as const)
      expect((await tenant.ok(path, { organizationId, ...data })).data).toMatchObject({
        a: { success: false, code: 'not-found' },
      });
    const immutable = async (is: boolean) =>
      tenant.ok('/v2/workspace/activityconfig/update', {
        activityServiceConfig: { isEnabled: true, immutable: is },
      });
    await immutable(true);
    const began = Date.now();
    await add([comment({ id: 'a' })]);
    await immutable(false);
    const [log] = await read();
    expect(log?.timestamp).toBeGreaterThanOrEqual(began);
  });

  it('refuses an update without a member to change', async () => {
    const refusal = await tenant.refused('/v2/activities/update', {
      organizationId: scene.document.organizationId,
      activities: [{ id: 'a' }],
    });
    expect(refusal.message).toBe('activities[0] must hold at least one member besides id.');
  });
});

describe('immutable activity logs', () => {
  it('refuse update, deletion and an overwrite with other content, and accept an identical overwrite', async () => {
    const owner = await withActivityLogs(await aTenant(api));
    const document = await aDocument(owner);
    const records = [comment({ id: 'a' })];
    await owner.ok('/v2/activities/add', { ...document, activities: records });
    await owner.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { immutable: true } });
    await owner.ok('/v2/activities/add', { ...document, activities: records });
    const overwrite = await owner.refused('/v2/activities/add', {
      ...document,
      activities: [comment({ id: 'new' }), comment({ id: 'a', entityData: 1 })],
    });
    expect([overwrite.status, overwrite.message]).toEqual([
      'FAILED_PRECONDITION',
      'Activity logs are immutable.',
    ]);
    const { organizationId } = document;
    const updated = await owner.ok('/v2/activities/update', {
      organizationId,
      activities: [{ id: 'a', entityData: 1 }],
    });
    expect(updated.data).toEqual({
      a: { success: false, id: 'a', message: 'Failed to update activity.', code: 'failed-precondition' },
    });
    const deleted = await owner.ok('/v2/activities/delete', { organizationId, activityIds: ['a', 'zz'] });
    expect([deleted.deletedCount, deleted.data]).toEqual([
      0,
      {
        a: { success: false, id: 'a', message: 'Failed to delete activity.', code: 'failed-precondition' },
        zz: { success: false, id: 'zz', message: 'Failed to delete activity.', code: 'not-found' },
      },
    ]);
  });
});
