import { describe, expect, it } from '@jest/globals';
import { aDocument } from '../support/factories.ts';
import { runCascade } from '../support/run-cascade.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { inADocument, notificationsScene, users, type NotificationCalls } from './notification-calls.ts';

const { api, tenant } = await notificationsScene();

/** Adds notifications with the first times, of which one call deletes 1,000. */
async function many({ documentId }: NotificationCalls): Promise<void> {
  await api.database.sql(
    `with written as (
       insert into notification (api_key_id, org_id, document_id, ext_id, location_id, source, actor_id, ts, recipient_count, body)
       select n.api_key_id, n.org_id, n.document_id, 'n-' || i, n.location_id, n.source, n.actor_id, i, 1, n.body
       from notification n join document d on d.id = n.document_id, generate_series(1, 1000) i
       where d.ext_id = $1 and n.ext_id = 'again' returning *)
     insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, location_id, ts)
     select u.id, w.audience, w.api_key_id, w.org_id, w.document_id, w.location_id, w.ts
     from written w join app_user u on u.api_key_id = w.api_key_id and u.ext_id = 'ann'`,
    [documentId],
  );
}

/** Deletes 1,000 notifications, and leaves `again` and `gone` to a job that has not begun. */
async function leftToJob(
  calls: NotificationCalls,
  members: object,
  selection: object,
): Promise<string | undefined> {
  await calls.add({ notificationId: 'again', ...members });
  await calls.add({ notificationId: 'gone', ...members });
  await many(calls);
  const { deletedCount, jobId } = await calls.ok('delete', selection);
  expect([deletedCount, jobId]).toEqual([1_000, expect.stringMatching(/^job_/)]);
  return jobId;
}

const rows = async (calls: NotificationCalls): Promise<{ id: string; ts: string }[]> =>
  api.database.sql(
    `select n.id, n.ts from notification n join organization o on o.id = n.org_id
     where o.ext_id = $1 and n.ext_id = 'again'`,
    [calls.organizationId],
  );

describe('a notification that a deletion left to a job', () => {
  it.each([
    ['with other content', { displayBodyMessage: 'Next.' }],
    ['with equal content', {}],
  ])('is new when it is added again %s, and outlasts the job', async (_, members) => {
    const calls = await inADocument(tenant);
    const sent = { notifyUsers: users('ann', 'ben'), location: { locationId: 'here' } };
    const selection = { documentId: calls.documentId, locationId: 'here' };
    const jobId = await leftToJob(calls, sent, selection);
    const [former] = await rows(calls);
    await calls.add({ notificationId: 'again', ...sent, ...members });
    const [again] = await rows(calls);
    expect(Number(again?.ts)).toBeGreaterThan(Number(former?.ts));
    await runCascade(api, jobId);
    expect(await rows(calls)).toEqual([again]);
    for (const userId of ['ann', 'ben']) expect(await calls.ids({ userId })).toEqual(['again']);
    expect(await calls.get()).toMatchObject([{ id: 'again', notifyUsersCount: 2, ...members }]);
    // Nothing is open, so an equal notification is not written again.
    await calls.add({ notificationId: 'again', ...sent, ...members });
    expect(await rows(calls)).toEqual([again]);
  });

  it('is missing to updates', async () => {
    const calls = await inADocument(tenant);
    const jobId = await leftToJob(calls, { notifyUsers: users('ann') }, { documentId: calls.documentId });
    await calls.add({ notificationId: 'kept', notifyUsers: users('ann') });
    const { data } = await calls.ok('update', {
      notifications: ['gone', 'kept'].map((id) => ({ id, displayBodyMessage: 'Next.' })),
    });
    expect(data).toMatchObject({ gone: { success: false, code: 'not-found' }, kept: { success: true } });
    await runCascade(api, jobId);
    expect(await calls.get()).toMatchObject([{ id: 'kept', displayBodyMessage: 'Next.' }]);
  });

  it.each([
    ['location', { locationId: 'here' }, { location: { locationId: 'here' } }],
    ['recipient', { userId: 'ann' }, { notifyUsers: users('ann', 'ben') }],
  ])(
    'is joined by no other that an update gives its %s until the job has ended',
    async (_, where, members) => {
      const calls = await inADocument(tenant);
      const { documentId, organizationId } = calls;
      await calls.add({
        notificationId: 'other',
        notifyUsers: users('ben'),
        location: { locationId: 'there' },
      });
      const sent = { notifyUsers: users('ann'), location: { locationId: 'here' } };
      const jobId = await leftToJob(calls, sent, { ...('locationId' in where && { documentId }), ...where });
      const update = { organizationId, notifications: [{ id: 'other', ...members }] };
      expect(await tenant.refused('/v2/notifications/update', update)).toMatchObject({ status: 'ABORTED' });
      await runCascade(api, jobId);
      expect((await calls.ok('update', update)).data).toMatchObject({ other: { success: true } });
      expect(await calls.ids({ userId: 'ben' })).toEqual(['other']);
    },
  );

  it.each([
    ['with other content', { displayBodyMessage: 'Next.' }],
    ['with equal content', {}],
  ])('for one recipient reaches that recipient again %s, and keeps its time', async (_, members) => {
    const calls = await inADocument(tenant);
    const sent = { notifyUsers: users('ann', 'ben') };
    const jobId = await leftToJob(calls, sent, { userId: 'ann' });
    const [former] = await rows(calls);
    await calls.add({ notificationId: 'again', ...sent, ...members });
    await runCascade(api, jobId);
    expect(await calls.ids({ userId: 'ann' })).toEqual(['again']);
    expect((await calls.ids({ userId: 'ben' })).toSorted()).toEqual(['again', 'gone']);
    expect((await rows(calls)).map(({ ts }) => ts)).toEqual([former?.ts]);
  });

  it('takes no notification with it that an overwrite moves to its document', async () => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    const other = await aDocument(tenant, { organizationId });
    await calls.add({ notificationId: 'moved', notifyUsers: users('ann'), documentId: other.documentId });
    const jobId = await leftToJob(calls, { notifyUsers: users('ann') }, { documentId });
    await calls.add({ notificationId: 'moved', notifyUsers: users('ann') });
    await runCascade(api, jobId);
    expect(await calls.ids({ documentId })).toEqual(['moved']);
    expect(await calls.ids({ userId: 'ann' })).toEqual(['moved']);
  });

  it.each([
    ['another location', { location: { locationId: 'there' } }],
    ['no location', {}],
  ])('takes no notification with it that an overwrite moves to its location from %s', async (_, former) => {
    const calls = await inADocument(tenant);
    const { documentId } = calls;
    const sent = { notifyUsers: users('ann'), location: { locationId: 'here' } };
    await calls.add({ notificationId: 'moved', notifyUsers: users('ann'), ...former });
    const jobId = await leftToJob(calls, sent, { documentId, locationId: 'here' });
    await calls.add({ notificationId: 'moved', ...sent });
    await runCascade(api, jobId);
    expect(await calls.ids({ documentId })).toEqual(['moved']);
    expect(await calls.ids({ userId: 'ann' })).toEqual(['moved']);
  });
});

/** Adds an annotation of two comments, and 1,500 notifications of the first comment to ann. */
async function aNotifiedComment(calls: NotificationCalls): Promise<void> {
  const { organizationId, documentId } = calls;
  const comments = ['First', 'Second'].map((commentText) => ({ from: { userId: 'ada' }, commentText }));
  const commentAnnotations = [{ annotationId: 'thread', commentData: comments }];
  await tenant.ok('/v2/commentannotations/add', { organizationId, documentId, commentAnnotations });
  await calls.add({ notificationId: 'kept', notifyUsers: users('ann') });
  await api.database.sql(
    `with written as (
       insert into notification (api_key_id, org_id, document_id, ext_id, source, actor_id, ts, recipient_count, body,
         thread_id, comment_id)
       select n.api_key_id, n.org_id, n.document_id, 'of-' || i, n.source, n.actor_id, i, 1, n.body, c.thread_id, c.id
       from notification n join document d on d.id = n.document_id join thread t on t.document_id = d.id
         join comment c on c.thread_id = t.id and c.ext_id = 1, generate_series(1, 1500) i
       where d.ext_id = $1 and n.ext_id = 'kept' returning *)
     insert into notification_recipient (user_id, audience_id, api_key_id, org_id, document_id, ts)
     select u.id, w.audience, w.api_key_id, w.org_id, w.document_id, w.ts
     from written w join app_user u on u.api_key_id = w.api_key_id and u.ext_id = 'ann'`,
    [documentId],
  );
}

describe('a notification that the deletion of its subject left to a job', () => {
  it.each([
    ['annotation', '/v2/commentannotations/delete', { annotationIds: ['thread'] }],
    ['comment', '/v2/commentannotations/comments/delete', { annotationId: 'thread', commentIds: [1] }],
  ])('is missing to updates, and new when it is added again: %s', async (_, path, selection) => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    await aNotifiedComment(calls);
    const { jobId } = await tenant.ok(path, { organizationId, documentId, ...selection });
    const left = await api.database.sql<{ ext_id: string }>(
      `select n.ext_id from notification n join document d on d.id = n.document_id
       where d.ext_id = $1 and n.thread_id is not null`,
      [documentId],
    );
    expect(left).toHaveLength(500);
    const [updated = '', again = ''] = left.map(({ ext_id }) => ext_id);
    const update = { notifications: [updated, 'kept'].map((id) => ({ id, displayBodyMessage: 'Next.' })) };
    expect((await calls.ok('update', update)).data).toMatchObject({
      [updated]: { success: false, code: 'not-found' },
      kept: { success: true },
    });
    const before = Date.now();
    await calls.add({ notificationId: again, notifyUsers: users('ann') });
    await runCascade(api, jobId);
    const found = await calls.get();
    expect(found.map(({ id }) => id)).toEqual([again, 'kept']);
    expect(found[0]?.timestamp).toBeGreaterThanOrEqual(before);
    expect(await calls.ids({ userId: 'ann' })).toEqual([again, 'kept']);
  });

  it('is found by indexes alone', async () => {
    const calls = await inADocument(tenant);
    const add = async () => calls.add({ notificationId: 'one', notifyUsers: users('ann') });
    await add();
    const update = { notifications: [{ id: 'one', displayBodyMessage: 'Next.' }] };
    const sent = await statementsOf(async () => [await add(), await calls.ok('update', update)]);
    const locking = sent.filter(({ text }) => /from "notification".*for update/s.test(text));
    expect(locking).toHaveLength(2);
    for (const statement of locking) {
      const { wholeTables, indexes } = await explain(api.database, statement);
      expect(wholeTables).toEqual([]);
      expect(indexes).toEqual(expect.arrayContaining(['notification_ext', 'thread_pkey', 'comment_pkey']));
    }
  });
});
