import { describe, expect, it } from '@jest/globals';
import { aTenant, freshId } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { waitsForLock } from '../support/lock-waits.ts';
import { tenantScene } from '../support/document-scene.ts';
import {
  inADocument,
  users,
  type NotificationResponse,
  type NotificationCalls,
} from './notification-calls.ts';

const { api, tenant } = await tenantScene();

const filters = ['documentId', 'locationId', 'userId', 'notificationIds'] as const;

type Filter = (typeof filters)[number];

const combinations: readonly (readonly Filter[])[] = [
  ['documentId'],
  ['documentId', 'notificationIds'],
  ['documentId', 'locationId'],
  ['documentId', 'locationId', 'notificationIds'],
  ['userId'],
  ['userId', 'notificationIds'],
  ['documentId', 'userId'],
  ['locationId', 'userId'],
  ['documentId', 'locationId', 'userId'],
];

const others = Array.from({ length: 16 }, (_, bits) =>
  filters.filter((_filter, at) => (bits & (1 << at)) !== 0),
).filter((members) => !combinations.some((known) => known.join() === members.join()));

interface Planted {
  readonly id: string;
  readonly documentId: string;
  readonly locationId: string | undefined;
  readonly userIds: readonly string[];
}

/** Adds notifications for every combination of two documents, three locations and recipients, oldest first. */
async function planted(calls: NotificationCalls): Promise<{ all: Planted[]; second: string }> {
  const second = freshId('document');
  const all: Planted[] = [];
  for (const documentId of [calls.documentId, second]) {
    for (const locationId of ['here', 'there', undefined]) {
      for (const userIds of [['ann'], ['ben'], ['ann', 'ben']]) {
        const id = freshId('n');
        await calls.add({
          notificationId: id,
          documentId,
          createDocument: true,
          notifyUsers: users(...userIds),
          ...(locationId !== undefined && { location: { id: locationId } }),
        });
        all.push({ id, documentId, locationId, userIds });
      }
    }
  }
  return { all, second };
}

const requestOf = (members: readonly Filter[], values: Record<Filter, unknown>) =>
  Object.fromEntries(members.map((member) => [member, values[member]]));

describe('a notification that is deleted while a list is read', () => {
  it('does not end the list', async () => {
    const calls = await inADocument(tenant);
    for (const id of ['a', 'b', 'c']) await calls.add({ notificationId: id, notifyUsers: users('ann') });
    const deleting = await api.database.connect();
    await deleting.query('begin; lock table notification_recipient in access exclusive mode');
    const { organizationId, documentId } = calls;
    const reading = tenant.ok('/v2/notifications/get', { organizationId, documentId, pageSize: 1 });
    expect(await waitsForLock(api.database, reading)).toBe(true);
    await deleting.query(`delete from notification where ext_id = 'c' and api_key_id = ${tenant.id}`);
    await deleting.query('commit');
    const { data, nextPageToken } = await reading;
    expect(data).toMatchObject([{ id: 'c', notifyUsersByUserId: { ann: true } }]);
    expect(nextPageToken).toBeDefined();
  });
});

describe('reading notifications', () => {
  it.each(combinations.map((members) => [members.join(' and '), members] as const))(
    'by %s returns those that match all filters, newest first',
    async (_title, members) => {
      const calls = await inADocument(tenant);
      const { all } = await planted(calls);
      const notificationIds = [...all.filter((_one, at) => at % 2 === 0).map(({ id }) => id), 'nobody'];
      const request = requestOf(members, {
        documentId: calls.documentId,
        locationId: 'here',
        userId: 'ann',
        notificationIds,
      });
      const expected = all.filter(
        (one) =>
          (!members.includes('documentId') || one.documentId === calls.documentId) &&
          (!members.includes('locationId') || one.locationId === 'here') &&
          (!members.includes('userId') || one.userIds.includes('ann')) &&
          (!members.includes('notificationIds') || notificationIds.includes(one.id)),
      );
      const ids = expected.map(({ id }) => id).reverse();
      expect(ids.length).toBeGreaterThan(0);
      expect(await calls.ids(request)).toEqual(ids);
      expect(await calls.ids({ ...request, order: 'asc' })).toEqual([...ids].reverse());
      expect((await calls.get(request, { version: 1 })).map(({ id }) => id)).toEqual(ids);
      const read = await calls.get(request);
      expect(read.every(({ isUnread }) => isUnread === (members.includes('userId') ? true : undefined))).toBe(
        true,
      );
      expect(await paged(calls, request, 2)).toEqual(ids);
    },
  );

  it.each(others.map((members) => [members.join(' and ') || 'nothing', members] as const))(
    'by %s is refused, and the message lists the nine combinations',
    async (_title, members) => {
      const calls = await inADocument(tenant);
      const request = requestOf(members, {
        documentId: 'd',
        locationId: 'l',
        userId: 'u',
        notificationIds: ['n'],
      });
      const refusal = await calls.refused('get', request);
      expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(refusal.message).toBe(
        'Beside organizationId send one of these combinations: documentId; documentId + notificationIds; documentId + locationId; documentId + locationId + notificationIds; userId; userId + notificationIds; documentId + userId; locationId + userId; documentId + locationId + userId.',
      );
    },
  );

  it('uses an index in all nine cases', async () => {
    const calls = await inADocument(tenant);
    const indexes: Record<string, readonly string[]> = {
      documentId: ['notification_document'],
      'documentId,notificationIds': ['notification_ext'],
      'documentId,locationId': ['notification_location'],
      'documentId,locationId,notificationIds': ['notification_ext'],
      userId: ['recipient_org'],
      'userId,notificationIds': ['notification_ext', 'notification_recipient_pkey'],
      'documentId,userId': ['recipient_document'],
      'locationId,userId': ['recipient_location'],
      'documentId,locationId,userId': ['recipient_document'],
    };
    await calls.add({ notifyUsers: users('ann') });
    await grown();
    for (const members of combinations) {
      const request = requestOf(members, {
        documentId: calls.documentId,
        locationId: 'here',
        userId: 'ann',
        notificationIds: ['a', 'b'],
      });
      const sent = await statementsOf(() => calls.get({ ...request, pageSize: 100 }));
      const ours = sent.filter(({ text }) => text.includes('with examined'));
      expect(ours).toHaveLength(1);
      for (const statement of ours) {
        const plan = await explain(api.database, statement);
        expect({ members, tables: plan.wholeTables }).toEqual({ members, tables: [] });
        expect(plan.indexes).toEqual(expect.arrayContaining([...(indexes[members.join()] ?? ['none'])]));
      }
    }
  });

  it('returns everything on /v1, and pages of 1,000 on /v2, whose tokens are bound to their filters', async () => {
    const calls = await inADocument(tenant);
    await bulk(calls, 1_203);
    const { documentId } = calls;
    expect(await calls.get({ documentId }, { version: 1 })).toHaveLength(1_203);
    const first = await calls.ok<NotificationResponse[]>('get', { documentId });
    expect(first.message).toBe('Notification(s) retrieved successfully.');
    expect(first.data).toHaveLength(1_000);
    expect(first.pageToken).toBe(first.nextPageToken);
    const { nextPageToken: pageToken } = first;
    const second = await calls.ok<NotificationResponse[]>('get', { documentId, pageToken });
    expect(second.data).toHaveLength(203);
    expect(second).not.toHaveProperty('nextPageToken');
    const refusal = await calls.refused('get', { documentId, order: 'asc', pageToken });
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', 'pageToken is not valid.']);
  });

  it('is stable while others are added', async () => {
    const calls = await inADocument(tenant);
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1)
      ids.unshift((await calls.add({ notifyUsers: users('ann') })).notificationId);
    const seen: string[] = [];
    let pageToken: string | undefined;
    do {
      const page = await calls.ok<NotificationResponse[]>('get', {
        userId: 'ann',
        pageSize: 2,
        ...(pageToken !== undefined && { pageToken }),
      });
      seen.push(...page.data.map(({ id }) => id));
      pageToken = page.nextPageToken;
      await calls.add({ notifyUsers: users('ann') });
    } while (pageToken !== undefined);
    expect(seen.filter((id) => ids.includes(id))).toEqual(ids);
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('returns the first 1,000 recipients, always including the user of the filter, and their number', async () => {
    const calls = await inADocument(tenant);
    const { notificationId } = await calls.add({ notifyUsers: users('first') });
    await api.database.sql(
      `with u as (insert into app_user (api_key_id, ext_id) select $1, 'crowd-' || lpad(i::text, 5, '0') from generate_series(1, 2500) i returning id)
       insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
       select u.id, n.audience, $1, n.org_id, n.document_id, n.ts from u, notification n where n.ext_id = $2`,
      [tenant.id, notificationId],
    );
    await api.database.sql('update notification set recipient_count = 2501 where ext_id = $1', [
      notificationId,
    ]);
    const [read] = await calls.get();
    expect(Object.keys(read?.notifyUsersByUserId ?? {})).toHaveLength(1_000);
    expect(read?.notifyUsersCount).toBe(2_501);
    const [requestOf] = await calls.get({ userId: 'crowd-02500' });
    expect(Object.keys(requestOf?.notifyUsersByUserId ?? {})).toHaveLength(1_001);
    expect(requestOf?.notifyUsersByUserId).toMatchObject({ first: true, 'crowd-02500': true });
  });

  it('ends a page earlier when its notifications have many recipients', async () => {
    const calls = await inADocument(tenant);
    const crowd = Array.from({ length: 900 }, (_, n) => `big-${String(n)}`);
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1)
      ids.unshift((await calls.add({ notifyUsers: users(...crowd) })).notificationId);
    const page = await calls.ok<NotificationResponse[]>('get', { documentId: calls.documentId });
    expect(page.data.length).toBeLessThan(30);
    expect(page.nextPageToken).toBeDefined();
    expect(await paged(calls, { documentId: calls.documentId }, 1_000)).toEqual(ids);
    expect((await calls.get(undefined, { version: 1 })).map(({ id }) => id)).toEqual(ids);
  });

  it('returns nothing of a deleted document or folder, or for an unknown user', async () => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    const { notificationId } = await calls.add({ notifyUsers: users('ann') });
    expect(await calls.get({ userId: freshId('user') })).toEqual([]);
    expect(await calls.ids({ userId: 'ann' })).toEqual([notificationId]);
    const folderId = freshId('folder');
    await tenant.ok('/v2/organizations/folders/add', { organizationId, folders: [{ folderId }] });
    await tenant.ok('/v1/organizations/documents/move', {
      organizationId,
      documentIds: [documentId],
      folderId,
    });
    await tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId });
    expect(await calls.get({ userId: 'ann' })).toEqual([]);
    expect(await calls.get({ userId: 'ann', notificationIds: [notificationId] })).toEqual([]);
    const refusal = await calls.refused('get', { documentId });
    expect([refusal.http, refusal.message]).toEqual([404, 'Document does not exist']);
    const missing = await tenant.refused('/v1/notifications/get', { organizationId: 'none', documentId });
    expect([missing.http, missing.message]).toEqual([404, 'Organization does not exist']);
  });

  it('returns no notification of another tenant, even one with the same ids', async () => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    const { notificationId } = await calls.add({ notifyUsers: users('ann') });
    const other = await aTenant(api);
    const location = { organizationId, documentId, createOrganization: true, createDocument: true };
    await other.ok('/v2/notifications/add', {
      ...location,
      notificationId,
      ...calls.texts,
      notifyUsers: users('zoe'),
    });
    expect(await calls.get()).toMatchObject([{ id: notificationId, notifyUsersByUserId: { ann: true } }]);
    const theirs = await other.ok<unknown[]>('/v2/notifications/get', { organizationId, userId: 'ann' });
    expect(theirs.data).toEqual([]);
  });
});

async function paged(calls: NotificationCalls, request: object, pageSize: number): Promise<string[]> {
  const ids: string[] = [];
  let pageToken: string | undefined;
  do {
    const page = await calls.ok<NotificationResponse[]>('get', {
      ...request,
      pageSize,
      ...(pageToken !== undefined && { pageToken }),
    });
    expect(page.data.length).toBeLessThanOrEqual(pageSize);
    ids.push(...page.data.map(({ id }) => id));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return ids;
}

/** Writes notifications without recipients by SQL. */
async function bulk({ organizationId, documentId }: NotificationCalls, count: number): Promise<void> {
  await api.database.sql(
    `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, body)
     select $1, o.id, d.id, 'bulk-' || i, 5, i, i, '{"notificationSource":"custom","actionUser":{"userId":"a"}}'
     from organization o join document d on d.org_id = o.id, generate_series(1, $4) i where o.ext_id = $2 and d.ext_id = $3`,
    [tenant.id, organizationId, documentId, count],
  );
}

/** Writes so many rows of other tenants that PostgreSQL plans as in a grown installation. */
async function grown(): Promise<void> {
  const calls = await inADocument(tenant);
  await bulk(calls, 20_000);
  await api.database.sql(
    `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts)
     select -n.id % 500, n.audience, $1, n.org_id, n.document_id, 'l' || n.id % 50, n.ts from notification n where n.ext_id like 'bulk-%'`,
    [tenant.id],
  );
  await api.database.sql('analyze');
}
