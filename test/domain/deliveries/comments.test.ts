import { describe, expect, it } from '@jest/globals';
import { planNewNotices, planNotices, wasPlanned } from '../../../domain/notices/plan-notices.ts';
import { readPlanningSettings } from '../../../domain/notices/planning-settings.ts';
import { anEndedDelivery } from '../../support/deliveries.ts';
import { aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { aMailingTenant, notified, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';
import { rowsRead, statementsOf } from '../../support/statements.ts';
import { withListeners } from '../../support/webhooks.ts';

const { api, mail, senders } = await sendingScene();

/** A thread whose comment has tagged Ben. */
async function aTaggedComment(tenant: TestTenant, preference?: object) {
  const location = await aDocument(tenant);
  const email = `${freshId('ben')}@users.test`;
  const ben = { userId: 'ben', email };
  await tenant.ok('/v2/users/add', { ...location, users: [ben] });
  if (preference !== undefined)
    await tenant.ok('/v2/notifications/config/set', {
      organizationId: location.organizationId,
      documentIds: [location.documentId],
      userIds: ['ben'],
      config: preference,
    });
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [
      {
        annotationId: 'thread',
        commentData: [
          {
            from: { userId: 'ada', name: 'Ada' },
            commentText: 'Look',
            taggedUserContacts: [{ userId: 'ben', contact: ben }],
            triggerNotification: true,
          },
        ],
      },
    ],
  });
  return { location, mails: () => mail.mails.filter(({ to }) => to === email) };
}

const delayed = { delayConfig: { isEnabled: true, delaySeconds: 60 } };

/** Changes all notifications of a document. */
const update = async (tenant: TestTenant, location: { organizationId: string }, changed: object) => {
  const { data } = await tenant.ok<{ id: string }[]>('/v2/notifications/get', location);
  await tenant.ok('/v2/notifications/update', {
    organizationId: location.organizationId,
    notifications: data.map(({ id }) => ({ id, ...changed })),
  });
};

describe('a comment', () => {
  it('emits notification.add also when its only recipient gets it by e-mail alone', async () => {
    const tenant = await withListeners(await aMailingTenant(api), api);
    const { mails } = await aTaggedComment(tenant, { inbox: 'NONE', email: 'MINE' });
    const events = await api.database.sql<{ type: string }>(
      'select type from event where api_key_id = $1 order by id',
      [tenant.id],
    );
    expect(events.map(({ type }) => type)).toEqual(['comment_annotation.add', 'notification.add']);
    await senders.turn(tenant);
    expect(mails()).toHaveLength(1);
  });

  it.each([
    { displayHeadlineMessageTemplate: 'Secret' },
    { displayHeadlineMessageTemplateData: { actionUser: { userId: 'ada', name: 'Secret' } } },
  ])('shows no headline of a caller where messages have no content: %j', async (changed) => {
    const tenant = await aMailingTenant(api, delayed, { includeContent: false });
    const { location, mails } = await aTaggedComment(tenant);
    await update(tenant, location, changed);
    await senders.turn(tenant, 120_000);
    const [sent] = mails();
    expect(sent?.parsed.subject).toBeDefined();
    expect(JSON.stringify(sent?.parsed)).not.toContain('Secret');
  });
});

describe('a notification of a comment whose type a caller has replaced by an object', () => {
  it('is sent without its headline where messages have no content', async () => {
    const tenant = await aMailingTenant(api, delayed, { includeContent: false });
    const { location, mails } = await aTaggedComment(tenant);
    await update(tenant, location, { notificationSourceData: { actionType: { toString: 1 } } });
    await senders.turn(tenant, 120_000);
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual([expect.any(String)]);
  });
});

describe('a waiting notification of a comment', () => {
  const edit = async (tenant: TestTenant, location: object) =>
    tenant.ok('/v2/commentannotations/comments/update', {
      ...location,
      annotationId: 'thread',
      commentIds: [1],
      updatedData: { commentText: 'Look again' },
    });

  it.each([
    ['the body that a caller has set', 'Read it today.', 'Read it today.'],
    ['the edited comment when a caller has sent the body as it was', 'Look', 'Look again'],
  ])('is sent with %s', async (_name, displayBodyMessage, text) => {
    const tenant = await aMailingTenant(api, delayed);
    const { location, mails } = await aTaggedComment(tenant);
    await update(tenant, location, { displayBodyMessage });
    await edit(tenant, location);
    await update(tenant, location, { context: { later: true } });
    await senders.turn(tenant, 120_000);
    const lines = mails().map(({ parsed }) =>
      parsed.text?.split('\n').filter((line) => /Look|Read/.test(line)),
    );
    expect(lines).toEqual([[text]]);
  });
});

describe('a notification of a comment that notifications/add overwrites', () => {
  async function anOverwritten() {
    const tenant = await aMailingTenant(api, delayed);
    const { location, mails } = await aTaggedComment(tenant);
    const { data } = await tenant.ok<{ id: string }[]>('/v2/notifications/get', location);
    await tenant.ok('/v2/notifications/add', {
      ...location,
      notificationId: data[0]?.id,
      actionUser: { userId: 'ada', name: 'Ada' },
      displayHeadlineMessageTemplate: 'The plan is ready',
      displayBodyMessage: 'Read it today.',
      notifyUsers: [{ userId: 'ben' }],
    });
    return { tenant, location, mails };
  }

  it('is sent with its own texts, to a user without access to the document too', async () => {
    const { tenant, location, mails } = await anOverwritten();
    await tenant.ok('/v2/users/delete', { ...location, userIds: ['ben'] });
    await senders.turn(tenant, 120_000);
    const [sent] = mails();
    expect(sent?.parsed.subject).toBe('The plan is ready');
    expect(sent?.parsed.text).toContain('Read it today.');
    expect(sent?.parsed.text).not.toContain('Look');
  });

  it('stays when the comment is deleted, and mentions no user of the comment', async () => {
    const { tenant, location } = await anOverwritten();
    await tenant.ok('/v2/commentannotations/delete', { ...location, annotationIds: ['thread'] });
    expect((await tenant.ok<object[]>('/v2/notifications/get', location)).data).toHaveLength(1);
    expect(
      await api.database.sql('select mentioned from notification where api_key_id = $1', [tenant.id]),
    ).toEqual([{ mentioned: [] }]);
    const named = 'select 1 from record_user where kind = 2 and api_key_id = $1';
    expect(await api.database.sql(named, [tenant.id])).toEqual([]);
  });
});

describe('a job that plans notices', () => {
  /** A notification without notices, and functions that plan some for users by surrogate key. */
  async function aNotification() {
    const tenant = await aMailingTenant(api);
    const { notificationId } = await notified(tenant, { notifyUsers: [{ userId: 'someone' }] });
    await notified(tenant);
    await api.database.sql('delete from notice where api_key_id = $1', [tenant.id]);
    const [row] = await api.database.sql<{ id: string; org: string; document: string; ben: string }>(
      `select n.id, n.org_id as org, n.document_id as document, u.id as ben from notification n, app_user u
       where n.api_key_id = $1 and n.ext_id = $2 and u.api_key_id = $1 and u.ext_id = 'ben'`,
      [tenant.id, notificationId],
    );
    if (row === undefined) throw new Error('missing notification');
    const candidateOf = (user: string) => ({
      user,
      why: 'mention' as const,
      hasAccess: true,
      levels: { email: 'ALL', slack: 'ALL' } as const,
      inInbox: true,
    });
    const plan = async (
      by: typeof planNotices | typeof planNewNotices,
      { audience = '1', users = [row.ben] }: { audience?: string; users?: readonly string[] } = {},
    ) =>
      transacted(api.orm, async (em) => {
        const { id, document } = row;
        const candidates = users.map(candidateOf);
        const planned = { id, document, verify: false, event: undefined, candidates, audience };
        return by(em, tenant.id, row.org, [planned], await readPlanningSettings(em, tenant.id));
      });
    return { tenant, notificationId, row, plan };
  }

  it('plans no second notice for a user who has one or got the notification', async () => {
    const { tenant, notificationId, row, plan } = await aNotification();
    const known = async () => transacted(api.orm, async (em) => wasPlanned(em, row.id));
    expect(await known()).toBe(false);
    await plan(planNewNotices);
    await plan(planNewNotices);
    expect(await waitingOf(api, tenant)).toMatchObject({ notices: 1 });
    expect(await known()).toBe(true);
    // The notice of a former audience follows the new one: the sender drops one that stays behind.
    await plan(planNewNotices, { audience: '2' });
    const audiences = 'select audience from notice where api_key_id = $1';
    expect(await api.database.sql(audiences, [tenant.id])).toEqual([{ audience: '2' }]);
    await api.database.sql('delete from notice where api_key_id = $1', [tenant.id]);
    await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId: 'ben' });
    await plan(planNewNotices);
    expect(await waitingOf(api, tenant)).toMatchObject({ notices: 0 });
    expect(await known()).toBe(true);
    await plan(planNotices);
    expect(await waitingOf(api, tenant)).toMatchObject({ notices: 1 });
  });

  it('reads the deliveries of its users, not all deliveries of the notification for each of them', async () => {
    const { tenant, row, plan } = await aNotification();
    // 500 users have 100 deliveries of other notifications each, which reached one user each.
    const users = Array.from({ length: 500 }, (_, index) => String(1_000_000 + index));
    await api.database.sql(
      `with made as (
         insert into delivery_log (id, at, api_key_id, org_id, user_id, channel, status, digest, public_id, attempts, ended_at)
         select 1000000 + i, now() - i * interval '1 millisecond', $1, $2,
           case when i <= 50000 then 1000000 + i % 500 else 2000000 + i end, 1, 1, false, 'scale' || i, '[]', now()
         from generate_series(1, 55000) i
         returning at, id)
       insert into delivery_item (at, delivery_id, notification_id, document_id)
       select at, id, case when id <= 1050000 then 10000000 + id else $3 end, $4 from made`,
      [tenant.id, row.org, row.id, row.document],
    );
    await api.database.sql('analyze delivery_log, delivery_item, notification, notice');
    const candidates = users.slice(0, 10);
    const sent = await statementsOf(async () => plan(planNewNotices, { users: candidates }));
    const planning = sent.filter(({ text }) => text.includes('insert into notice '));
    expect(planning).toHaveLength(1);
    await api.database.sql('delete from notice where api_key_id = $1', [tenant.id]);
    expect(await rowsRead(api.database, planning, 'delivery_log_default')).toBe(1_000);
    expect(await rowsRead(api.database, planning, 'delivery_item_default')).toBeLessThanOrEqual(1_000);
  });
});
