import { describe, expect, it } from '@jest/globals';
import { freshId } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { runCascade } from '../support/run-cascade.ts';
import { withNamedUsers } from '../support/named-users.ts';
import { aMailingTenant } from '../support/senders.ts';
import { explain, rowsRead, statementsOf } from '../support/statements.ts';
import { tenantScene } from '../support/document-scene.ts';
import { inADocument, users, type Items, type NotificationCalls } from './notification-calls.ts';

const { api, tenant } = await tenantScene();

const remove = async (calls: NotificationCalls, selection: object, version: 1 | 2 = 2) =>
  calls.ok<Items>('delete', selection, { version });

/** Returns the remaining rows of notifications, recipients and named users of a document. */
async function left({ documentId }: NotificationCalls): Promise<number[]> {
  const [found] = await api.database.sql<{ n: number; r: number }>(
    `select (select count(*) from notification n where n.document_id = d.id)::int as n,
       (select count(*) from notification_recipient r where r.document_id = d.id)::int as r
     from document d where d.ext_id = $1`,
    [documentId],
  );
  return [found?.n ?? -1, found?.r ?? -1];
}

describe('deleting notifications', () => {
  it.each([1, 2] as const)(
    'by id on /v%i removes them for all recipients, and reports missing ids',
    async (version) => {
      const calls = await inADocument(tenant);
      const kept = await calls.add({ notifyUsers: users('ann') });
      const { notificationId: id } = await calls.add({
        notifyUsers: users('ann', 'ben'),
        context: { who: { userId: 'named' } },
      });
      expect(await remove(calls, { notificationIds: [id, 'none', id] }, version)).toEqual({
        status: 'success',
        message: 'Notification(s) deleted successfully.',
        data: {
          [id]: { success: true, id, message: 'Notification deleted.' },
          none: { success: false, id: 'none', message: 'Failed to delete notification.', code: 'not-found' },
        },
        failedCount: 1,
        deletedCount: 1,
      });
      expect(await calls.ids({ userId: 'ann' })).toEqual([kept.notificationId]);
      expect(await left(calls)).toEqual([1, 1]);
      const named = await api.database.sql(
        `select 1 from record_user r join app_user u on u.id = r.user_id where u.ext_id = 'named' and u.api_key_id = $1 and r.kind = 2`,
        [tenant.id],
      );
      expect(named).toEqual([]);
      expect((await remove(calls, { notificationIds: [id] })).deletedCount).toBe(0);
    },
  );

  it('by user removes them for that recipient only, and deletes those without a recipient left', async () => {
    const calls = await inADocument(tenant);
    const shared = (await calls.add({ notifyUsers: users('ann', 'ben') })).notificationId;
    const own = (await calls.add({ notifyUsers: users('ann') })).notificationId;
    const other = (await calls.add({ notifyUsers: users('ben') })).notificationId;
    const result = await remove(calls, { userId: 'ann' });
    expect([Object.keys(result.data).sort(), result.deletedCount]).toEqual([[shared, own].sort(), 2]);
    expect(await calls.get({ userId: 'ann' })).toEqual([]);
    expect(await calls.get()).toMatchObject([
      { id: other },
      { id: shared, notifyUsersByUserId: { ben: true }, notifyUsersCount: 1 },
    ]);
    expect((await remove(calls, { userId: freshId('user'), notificationIds: [shared] })).data).toMatchObject({
      [shared]: { code: 'not-found' },
    });
  });

  it('by user lets an equal notification reach that recipient again', async () => {
    const calls = await inADocument(tenant);
    const sent = { notificationId: 'again', notifyUsers: users('ann', 'ben') };
    await calls.add(sent);
    await remove(calls, { userId: 'ann', notificationIds: ['again'] });
    await calls.add(sent);
    for (const userId of ['ann', 'ben']) expect(await calls.ids({ userId })).toEqual(['again']);
    expect(await calls.get()).toMatchObject([{ id: 'again', notifyUsersCount: 2 }]);
  });

  it('by user keeps a notification that another user gets only by e-mail, with its message', async () => {
    const mailing = await aMailingTenant(api, { delayConfig: { isEnabled: true, delaySeconds: 3_600 } });
    const calls = await inADocument(mailing);
    const { documentId } = calls;
    const ben = { userId: 'ben', email: 'ben@users.test' };
    const preference = { documentIds: [documentId], userIds: [ben.userId], config: { inbox: 'NONE' } };
    await calls.ok('config/set', preference);
    const { notificationId } = await calls.add({ notifyUsers: [...users('ann'), ben] });
    expect((await remove(calls, { userId: 'ann' })).deletedCount).toBe(1);
    expect(await calls.get({ userId: 'ann' })).toEqual([]);
    expect(await calls.ids()).toEqual([notificationId]);
    const explained = await mailing.ok<{ email: object }>('/v2/notifications/explain', {
      organizationId: calls.organizationId,
      notificationId,
      userId: ben.userId,
    });
    expect(explained.data.email).toMatchObject({ outcome: 'waiting', source: 'recorded' });
  });

  it('removes those that match all conditions', async () => {
    const calls = await inADocument(tenant);
    const second = freshId('document');
    const at = async (documentId: string, location: string, ...userIds: string[]) =>
      (
        await calls.add({
          documentId,
          createDocument: true,
          location: { id: location },
          notifyUsers: users(...userIds),
        })
      ).notificationId;
    const all = [
      await at(calls.documentId, 'here', 'ann'),
      await at(calls.documentId, 'here', 'ben'),
      await at(calls.documentId, 'there', 'ann'),
      await at(second, 'here', 'ann'),
    ];
    const { documentId } = calls;
    const deleted = async (selection: object) => {
      const { data } = await remove(calls, selection);
      return Object.values(data)
        .filter(({ success }) => success)
        .map(({ id }) => all.indexOf(id));
    };
    expect(await deleted({ documentId, locationId: 'here', userId: 'ann', notificationIds: all })).toEqual([
      0,
    ]);
    expect(await deleted({ locationId: 'here', userId: 'ann' })).toEqual([3]);
    expect(await deleted({ documentId, locationId: 'here' })).toEqual([1]);
    expect(await deleted({ documentId: second })).toEqual([]);
    expect(await deleted({ documentId })).toEqual([2]);
    expect(await calls.get()).toEqual([]);
  });

  it('removes 1,000 in the call and leaves the rest to a job', async () => {
    const calls = await inADocument(tenant);
    await api.database.sql(
      `insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, body)
       select $1, d.org_id, d.id, 'bulk-' || i, 5, i, i, '{}' from document d, generate_series(1, 1003) i where d.ext_id = $2`,
      [tenant.id, calls.documentId],
    );
    const result = await remove(calls, { documentId: calls.documentId });
    expect([Object.keys(result.data).length, result.deletedCount]).toEqual([1_000, 1_000]);
    const job = await tenant.ok('/v2/jobs/get', { jobId: result.jobId });
    expect(job.data).toMatchObject({ kind: 'cascade', status: 'pending' });
    expect(await left(calls)).toEqual([3, 0]);
  });

  it('leaves recipients beyond 10,000 to a job, and hides the notifications meanwhile', async () => {
    const calls = await inADocument(tenant);
    const { notificationId } = await calls.add({ notifyUsers: users('ann') });
    await api.database.sql(
      `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
       select -i, n.audience, $1, n.org_id, n.document_id, n.ts from notification n, generate_series(1, 10000) i where n.ext_id = $2`,
      [tenant.id, notificationId],
    );
    await api.database.sql('update notification set recipient_count = 10001 where ext_id = $1', [
      notificationId,
    ]);
    const { jobId, deletedCount } = await remove(calls, { notificationIds: [notificationId] });
    expect([deletedCount, typeof jobId]).toEqual([1, 'string']);
    expect(await calls.get({ userId: 'ann' })).toEqual([]);
    expect(await calls.get()).toEqual([]);
    expect(await left(calls)).toEqual([0, 10_001]);
  });

  it.each(['document', 'ids'] as const)(
    'deletes those with up to 10,000 named users in the call, and leaves others to a job, by %s',
    async (by) => {
      const calls = await inADocument(tenant);
      await calls.add({ notificationId: 'first' });
      await api.database.sql('update notification set ts = 0 where ext_id = $1', ['first']);
      const { notificationIds, named } = await withNamedUsers(api, tenant.id, calls.documentId, 25);
      const asked = by === 'ids' ? { notificationIds } : { documentId: calls.documentId };
      const { data, deletedCount, jobId } = await remove(calls, asked);
      expect(deletedCount).toBe(by === 'ids' ? 10 : 11);
      expect(Object.values(data).map(({ success }) => success)).toEqual(
        Array.from({ length: by === 'ids' ? 25 : 11 }, () => true),
      );
      expect(await named()).toBe(15_000);
      // The deletion has returned, so the others are missing to updates, and new when they are added again.
      const text = { displayBodyMessage: 'Changed.' };
      const changes = [notificationIds[23], notificationIds[24]].map((id) => ({ id, ...text }));
      const updated = await calls.ok<Items>('update', { notifications: changes });
      expect(Object.values(updated.data).map(({ code }) => code)).toEqual(['not-found', 'not-found']);
      await calls.add({ notificationId: notificationIds[24], notifyUsers: users('ann') });
      await runCascade(api, jobId);
      expect(await left(calls)).toEqual(by === 'ids' ? [2, 1] : [1, 1]);
      expect(await named()).toBe(0);
      expect(await calls.ids({ userId: 'ann' })).toEqual([notificationIds[24]]);
    },
  );

  it('deletes each once under concurrent calls', async () => {
    const calls = await inADocument(tenant);
    for (let n = 0; n < 20; n += 1) await calls.add({ notifyUsers: users('ann', 'ben', 'zoe') });
    const results = await Promise.all([
      ...['ann', 'ben', 'zoe'].map(async (userId) => remove(calls, { userId })),
      remove(calls, { documentId: calls.documentId }),
    ]);
    expect(results.every(({ failedCount }) => failedCount === 0)).toBe(true);
    expect(await left(calls)).toEqual([0, 0]);
  });

  it('uses an index for any conditions', async () => {
    const calls = await inADocument(tenant);
    const { documentId } = calls;
    await calls.add({ notifyUsers: users('ann'), location: { id: 'here' } });
    const selections: readonly [object, string][] = [
      [{ documentId }, 'notification_document'],
      [{ documentId, locationId: 'here' }, 'notification_location'],
      [{ notificationIds: ['a'] }, 'notification_ext'],
      [{ userId: 'ann' }, 'recipient_'],
      [{ userId: 'ann', documentId }, 'recipient_'],
      [{ userId: 'ann', locationId: 'here' }, 'recipient_'],
      [{ userId: 'ann', documentId, locationId: 'here' }, 'recipient_location'],
    ];
    for (const [selection, index] of selections) {
      const sent = await statementsOf(() => remove(calls, selection));
      const locking = sent.find(({ text }) => /from notification.*limit \$\d+ for update/s.test(text));
      if (locking === undefined) throw new Error('Nothing was locked.');
      const plan = await explain(api.database, locking);
      expect({ selection, tables: plan.wholeTables }).toEqual({ selection, tables: [] });
      expect(plan.indexes.join()).toContain(index);
    }
  });

  it('of a user at a location reads no other notifications of the document', async () => {
    const calls = await inADocument(tenant);
    const { documentId } = calls;
    await calls.add({ notifyUsers: users('ann'), location: { id: 'there' } });
    await api.database.sql(
      `insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts)
       select r.user_id, -i, r.api_key_id, r.org_id, r.document_id, r.location_id, i
       from document d join notification_recipient r on r.document_id = d.id, generate_series(1, 2000) i where d.ext_id = $1`,
      [documentId],
    );
    await api.database.sql('analyze notification_recipient');
    const { notificationId } = await calls.add({ notifyUsers: users('ann'), location: { id: 'here' } });
    const selection = { userId: 'ann', documentId, locationId: 'here' };
    const sent = await statementsOf(async () =>
      expect(Object.keys((await remove(calls, selection)).data)).toEqual([notificationId]),
    );
    const locking = sent.filter(({ text }) => /limit \$\d+ for update/.test(text));
    expect(locking).toHaveLength(1);
    expect(await rowsRead(api.database, locking, 'notification_recipient')).toBeLessThan(10);
  });

  it.each([
    [
      'no condition',
      {},
      'At least one of documentId, locationId, userId or notificationIds must be provided.',
    ],
    ['a location alone', { locationId: 'here' }, 'locationId needs documentId or userId.'],
    [
      'a location and ids',
      { locationId: 'here', notificationIds: ['a'] },
      'locationId needs documentId or userId.',
    ],
    ['no ids', { notificationIds: [] }, 'notificationIds must hold 1 to 1000 items, not 0.'],
    ['a misspelt condition', { documentID: 'x', userId: 'a' }, 'Unknown member: documentID.'],
  ])('with %s is refused, and nothing is deleted', async (_title, selection, message) => {
    const calls = await inADocument(tenant);
    await calls.add({ notifyUsers: users('ann') });
    const before = await allRows(api.database);
    const refusal = await calls.refused('delete', selection);
    expect([refusal.http, refusal.status, refusal.message]).toEqual([400, 'INVALID_ARGUMENT', message]);
    expect(await allRows(api.database)).toEqual(before);
  });

  it('of an unknown organization or document is refused', async () => {
    const calls = await inADocument(tenant);
    const document = await calls.refused('delete', { documentId: 'none' });
    expect([document.http, document.message]).toEqual([404, 'Document does not exist']);
    const organization = await tenant.refused('/v2/notifications/delete', {
      organizationId: 'none',
      userId: 'a',
    });
    expect([organization.http, organization.message]).toEqual([404, 'Organization does not exist']);
  });
});
