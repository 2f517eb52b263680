import { describe, expect, it } from '@jest/globals';
import { tenantScene } from '../support/document-scene.ts';
import { addActivityLogs, aDocument, freshId, withActivityLogs } from '../support/factories.ts';

// No worker runs: the rows of deleted documents stay.
const { tenant } = await tenantScene({ prepare: withActivityLogs });

const activity = (id: string, timestamp: number): object => ({
  id,
  timestamp,
  featureType: 'custom',
  actionType: 'seen',
  targetEntityId: 't',
  actionUser: { userId: 'ada' },
});

describe('while the rows of a deleted document are not removed', () => {
  it('activity logs of other documents are listed, page by page', async () => {
    const kept = await aDocument(tenant);
    const { organizationId } = kept;
    const deleted = await aDocument(tenant, { organizationId });
    await addActivityLogs(tenant, kept, [activity('old', 1), activity('older', 0)]);
    await addActivityLogs(
      tenant,
      deleted,
      Array.from({ length: 150 }, (_, n) => activity(`new-${String(n)}`, 2 + n)),
    );
    const documentIds = [deleted.documentId];
    await tenant.ok('/v2/organizations/documents/delete', { organizationId, documentIds });
    const all = async <Data>(path: string, data: object): Promise<Data[]> => {
      const pages: Data[] = [];
      for (let pageToken: string | undefined; pages.length < 200;) {
        const page: { data: Data; nextPageToken?: string } = await tenant.ok<Data>(path, {
          organizationId,
          ...data,
          ...(pageToken !== undefined && { pageToken }),
        });
        pages.push(page.data);
        pageToken = page.nextPageToken;
        if (pageToken === undefined) return pages;
      }
      throw new Error('The list does not end.');
    };
    const lists = await all<{ id: string }[]>('/v2/activities/get', { pageSize: 1 });
    expect(lists.flat().map(({ id }) => id)).toEqual(['old', 'older']);
    const exports = await all<{ activities: { id: string }[] }>('/v2/users/data/get', { userId: 'ada' });
    const exported = exports.flatMap(({ activities }) => activities.map(({ id }) => id));
    expect(exported.toSorted()).toEqual(['old', 'older']);
  });

  it('a notification that replaces one of the document has its own time', async () => {
    const first = await aDocument(tenant);
    const { organizationId } = first;
    const second = await aDocument(tenant, { organizationId });
    const notificationId = freshId('n').replaceAll(/[^\w-]/gu, '_');
    const add = async (location: object) =>
      tenant.ok('/v2/notifications/add', {
        ...location,
        notificationId,
        actionUser: { userId: 'ada' },
        displayHeadlineMessageTemplate: 'News',
        displayBodyMessage: 'Hello.',
        notifyUsers: [{ userId: 'ben' }],
      });
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
    await add(first);
    await tenant.ok('/v2/organizations/documents/delete', {
      organizationId,
      documentIds: [first.documentId],
    });
    const before = Date.now();
    await add(second);
    for (const filter of [{ documentId: second.documentId }, { userId: 'ben' }]) {
      const { data } = await tenant.ok<{ timestamp: number }[]>('/v2/notifications/get', {
        organizationId,
        ...filter,
      });
      expect(data).toHaveLength(1);
      expect(data[0]?.timestamp).toBeGreaterThanOrEqual(before);
    }
  });
});
