import { describe, expect, it } from '@jest/globals';
import { readPosition } from '../../domain/deletion/export/read-user-data.ts';
import { begunDeletion, carriedOut } from '../domain/deletion/carry-out.ts';
import { tenantScene } from '../support/document-scene.ts';
import { aDocument, type TestDocument } from '../support/factories.ts';

const { api, tenant } = await tenantScene({
  prepare: async (one) => {
    const notificationServiceConfig = { delayConfig: { isEnabled: true, delaySeconds: 3_600 } };
    await one.ok('/v2/workspace/notificationconfig/update', {
      useNotificationService: true,
      notificationServiceConfig,
    });
    await one.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
  },
});

const ada = { userId: 'ada', email: 'elsewhere@example.com' };
const grace = { userId: 'grace' };

interface Exported {
  readonly notifications: readonly object[];
  readonly commentViews: readonly object[];
  readonly namedRecipients: readonly object[];
  readonly waitingMessages: readonly { readonly dueAt: number }[];
}

const exported = async (organizationId: string, pageToken?: string) =>
  tenant.ok<Exported>('/v2/users/data/get', {
    organizationId,
    userId: ada.userId,
    ...(pageToken !== undefined && { pageToken }),
  });

/** Notifies ada outside the inbox, so that an e-mail waits. Returns the notification's id. */
async function notifiedOutsideInbox({ organizationId, documentId }: TestDocument): Promise<string> {
  await tenant.ok('/v2/notifications/config/set', {
    organizationId,
    documentIds: [documentId],
    userIds: [ada.userId],
    config: { inbox: 'NONE' },
  });
  const { data } = await tenant.ok<{ notificationId: string }>('/v2/notifications/add', {
    organizationId,
    documentId,
    actionUser: grace,
    displayHeadlineMessageTemplate: 'wrote',
    displayBodyMessage: 'Hello.',
    notifyUsers: [ada],
  });
  return data.notificationId;
}

const viewed = async (location: TestDocument, members: object = {}) =>
  tenant.ok('/v2/commentannotations/viewed/set', { ...location, userId: ada.userId, ...members });

describe('users/data/get', () => {
  it('returns notifications that name the user outside the inbox, the address sent, and the e-mail that waits', async () => {
    const location = await aDocument(tenant);
    const { organizationId, documentId } = location;
    const before = Date.now();
    const notificationId = await notifiedOutsideInbox(location);
    const { data } = await exported(organizationId);
    expect(data.notifications).toEqual([]);
    expect(data.namedRecipients).toEqual([
      { notificationId, documentId, timestamp: expect.any(Number), email: ada.email },
    ]);
    expect(data.waitingMessages).toEqual([
      { notificationId, documentId, channel: 'email', status: 'waiting', dueAt: expect.any(Number) },
    ]);
    expect(data.waitingMessages[0]?.dueAt).toBeGreaterThan(before);
    // Other recipients now: nothing names the user.
    await tenant.ok('/v2/notifications/update', {
      organizationId,
      notifications: [{ id: notificationId, notifyUsers: [grace] }],
    });
    const after = await exported(organizationId);
    expect(after.data.namedRecipients).toEqual([]);
  });

  it('returns the user’s read marks of this organization in pages', async () => {
    const location = await aDocument(tenant);
    const { organizationId, documentId } = location;
    const ids = Array.from({ length: 102 }, (_, at) => `thread-${String(at).padStart(3, '0')}`);
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: ids.map((annotationId) => ({ annotationId, commentData: [{ from: grace }] })),
    });
    await viewed(location, { viewedAt: 5 });
    await viewed(location, { annotationIds: ids, viewedAt: 7 });
    const elsewhere = await aDocument(tenant);
    await viewed(elsewhere, { viewedAt: 9 });
    await tenant.ok('/v2/commentannotations/delete', { ...location, annotationIds: ids.slice(0, 1) });
    const first = await exported(organizationId);
    const rest = await exported(organizationId, first.nextPageToken);
    expect(rest.nextPageToken).toBeUndefined();
    const found = [...first.data.commentViews, ...rest.data.commentViews];
    expect(first.data.commentViews).toHaveLength(100);
    expect(found).toEqual([
      { documentId, annotationId: null, viewedAt: 5 },
      ...ids.slice(1).map((annotationId) => ({ documentId, annotationId, viewedAt: 7 })),
    ]);
    const other = await exported(elsewhere.organizationId);
    expect(other.data.commentViews).toEqual([
      { documentId: elsewhere.documentId, annotationId: null, viewedAt: 9 },
    ]);
  });

  it('continues after a page token of a release without the last three lists', () => {
    const released = Array.from({ length: 15 }, (_, at) => (at === 0 ? '["1","2"]' : 'null'));
    const { activities, commentViews, namedRecipients, waitingMessages, ...others } = readPosition(released);
    expect(activities).toEqual(['1', '2']);
    expect(Object.values({ commentViews, namedRecipients, waitingMessages })).toEqual([null, null, null]);
    expect(Object.values(others)).toEqual(Array.from({ length: 14 }, () => null));
  });

  it('returns none of them after the user’s data is deleted', async () => {
    const location = await aDocument(tenant);
    const { organizationId } = location;
    await notifiedOutsideInbox(location);
    await viewed(location);
    const lists = async () => {
      const { commentViews, namedRecipients, waitingMessages } = (await exported(organizationId)).data;
      return [commentViews.length, namedRecipients.length, waitingMessages.length];
    };
    expect(await lists()).toEqual([1, 1, 1]);
    const request = { userIds: [ada.userId], organizationIds: [organizationId] };
    expect(await carriedOut(api, await begunDeletion(api, tenant, request))).toEqual([]);
    expect(await lists()).toEqual([0, 0, 0]);
  });
});
