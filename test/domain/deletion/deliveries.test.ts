import { afterAll, describe, expect, it } from '@jest/globals';
import { removeDescendants } from '../../../domain/cascade/remove-descendants.ts';
import { claimDeliveries } from '../../../domain/deliveries/claim-deliveries.ts';
import { databaseClock } from '../../../domain/deliveries/clock.ts';
import { recordOutcomes } from '../../../domain/deliveries/record-outcomes.ts';
import { findJob } from '../../../domain/jobs/find-job.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { removeKey } from '../../../domain/key-deletion/remove-key.ts';
import { finalStatuses, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { endCallsOfDeletedKeys } from '../../support/deleted-keys.ts';
import { anEndedDelivery } from '../../support/deliveries.ts';
import { aDocument, aFolder, anOperator, type TestTenant } from '../../support/factories.ts';
import { aMailingTenant, logOf, notified, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';
import { withListeners } from '../../support/webhooks.ts';
import { begunDeletion, carriedOut } from './carry-out.ts';

const { api, mail, senders } = await sendingScene();
/** Their server is unreachable, so their claims stay. */
const unreachable = sendersOf(api, 'smtp://127.0.0.1:1');
afterAll(async () => unreachable.close());

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const delayed = { delayConfig: { isEnabled: true, delaySeconds: 3_600 } };
const toBen = { notifyUsers: [{ userId: 'ben', email: 'ben@users.test' }] };

interface Located {
  readonly organizationId: string;
  readonly notificationId: string;
}

const carl = { userId: 'carl', email: 'carl@users.test' };

const deleteOf = async (tenant: TestTenant, userId: string) =>
  carriedOut(api, await begunDeletion(api, tenant, { userIds: [userId] }));

/** Items of ended deliveries, also of those without a row in the log. */
const itemsOf = async (tenant: TestTenant) =>
  api.database.sql(
    'select from delivery_item i join document d on d.id = i.document_id where d.api_key_id = $1',
    [tenant.id],
  );

describe('the deletion of a recipient', () => {
  it('removes waiting notices, deliveries and their log, and no rows of others', async () => {
    const tenant = await aMailingTenant(api, delayed);
    const one = await notified(tenant, toBen);
    await anEndedDelivery(api, { tenantId: tenant.id, notificationId: one.notificationId, userId: 'ben' });
    await notified(tenant, { notifyUsers: [carl] });
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 2 });
    expect(await deleteOf(tenant, 'ben')).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 1 });
    expect(await logOf(api, tenant)).toEqual([]);
    const before = mail.mails.length;
    await senders.turn(tenant, 3_700_000);
    expect(mail.mails.slice(before).map(({ to }) => to)).toEqual([carl.email]);
    expect(await itemsOf(tenant)).toHaveLength(1);
  });

  it('removes the log of a user without a profile whose id is an address of the user', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId, notificationId } = (await notified(tenant, toBen)) as unknown as Located;
    await tenant.ok('/v2/users/add', { organizationId, users: toBen.notifyUsers });
    const userId = 'ben@users.test';
    await tenant.ok('/v2/organizations/update', { organizations: [{ organizationId, note: { userId } }] });
    await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId });
    expect(await itemsOf(tenant)).toHaveLength(1);
    expect(await deleteOf(tenant, 'ben')).toEqual([]);
    expect(await itemsOf(tenant)).toEqual([]);
  });

  it.each([
    ['named', { notifyUsers: [...toBen.notifyUsers, carl] }, { inbox: 'NONE' }],
    ['a member', {}, { inbox: 'NONE', email: 'ALL' }],
  ])('keeps a notification that another user, %s, gets only by e-mail', async (_, to, config) => {
    const tenant = await aMailingTenant(api, delayed);
    const { organizationId, documentId } = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { organizationId, documentId, users: [carl, ...toBen.notifyUsers] });
    const documentIds = [documentId];
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      documentIds,
      userIds: [carl.userId],
      config,
    });
    const add = { actionUser: { userId: 'eve' }, notifyUsers: undefined, ...to };
    const { notificationId } = await notifiedIn(tenant, { organizationId, documentId }, add);
    expect(await deleteOf(tenant, 'ben')).toEqual([]);
    const { data } = await tenant.ok('/v2/notifications/get', { organizationId, documentId });
    expect(data).toMatchObject([{ id: notificationId, notifyUsersCount: 0 }]);
    const before = mail.mails.length;
    await senders.turn(tenant, 3_700_000);
    expect(mail.mails.slice(before).map(({ to: address }) => address)).toEqual([carl.email]);
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.sent }]);
  });

  it('removes a notification when all of its recipients are deleted together', async () => {
    const tenant = await aMailingTenant(api, delayed);
    const { organizationId, documentId } = await aDocument(tenant);
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      documentIds: [documentId],
      userIds: [carl.userId],
      config: { inbox: 'NONE' },
    });
    const notifyUsers = [...toBen.notifyUsers, carl];
    await notifiedIn(tenant, { organizationId, documentId }, { notifyUsers });
    const userIds = ['ben', carl.userId];
    expect(await carriedOut(api, await begunDeletion(api, tenant, { userIds }))).toEqual([]);
    const { data } = await tenant.ok('/v2/notifications/get', { organizationId, documentId });
    expect(data).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('waits until no sender has claimed a delivery of the user', async () => {
    const tenant = await aMailingTenant(api);
    await notified(tenant, toBen);
    await unreachable.turn(tenant);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 1, windows: 0, outgoing: 1 });
    const [claim] = await api.database.sql<{ until: string }>(
      `update outgoing set claimed_until = now() + interval '2 seconds' where api_key_id = $1 returning claimed_until::text as until`,
      [tenant.id],
    );
    // The verification scan finds nothing, so it raises no alert.
    expect(await deleteOf(tenant, 'ben')).toEqual([]);
    const [{ lapsed } = {}] = await api.database.sql<{ lapsed: boolean }>(
      `select now() >= $1::timestamptz as lapsed`,
      [claim?.until],
    );
    expect(lapsed).toBe(true);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    expect(await logOf(api, tenant)).toEqual([]);
  });

  it('in a named organization keeps log rows of others, also those at the same position of another partition', async () => {
    const tenant = await aMailingTenant(api, delayed);
    const days = ['2031-01-01', '2031-01-02'];
    const organizationIds: string[] = [];
    for (const day of days) {
      const { organizationId, notificationId } = (await notified(tenant, toBen)) as unknown as Located;
      organizationIds.push(organizationId);
      const delivery = await anEndedDelivery(api, { tenantId: tenant.id, notificationId, userId: 'ben' });
      await api.database.sql(`select create_day_partition('delivery_log', $1::date, 100)`, [day]);
      await api.database.sql(`update delivery_log set at = $1::timestamptz where public_id = $2`, [
        day,
        delivery,
      ]);
    }
    const left = async () =>
      api.database.sql<{ ctid: string; organization: string }>(
        `select l.ctid::text, o.ext_id as organization from delivery_log l join organization o on o.id = l.org_id
         where l.api_key_id = $1 order by l.at`,
        [tenant.id],
      );
    const [one, other] = await left();
    expect(one?.ctid).toBe(other?.ctid);
    const request = { userIds: ['ben'], organizationIds: organizationIds.slice(0, 1) };
    expect(await carriedOut(api, await begunDeletion(api, tenant, request))).toEqual([]);
    expect(await left()).toEqual([{ ctid: other?.ctid, organization: organizationIds[1] }]);
  });

  it('removes notices of others about notifications that the user caused', async () => {
    const tenant = await aMailingTenant(api, delayed);
    await notified(tenant, { ...toBen, actionUser: { userId: 'eve', name: 'Eve' } });
    await notified(tenant, toBen);
    expect(await deleteOf(tenant, 'eve')).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 1 });
    expect(await logOf(api, tenant)).toEqual([]);
  });
});

describe('events for the customer’s own sender', () => {
  it('lose a user whose data is deleted, and keep the others', async () => {
    const tenant = await withListeners(await aMailingTenant(api, {}, { type: 'custom' }), api);
    const { organizationId, documentId } = await aDocument(tenant);
    await tenant.ok('/v2/notifications/config/set', {
      organizationId,
      documentIds: [documentId],
      userIds: ['ben'],
      config: { inbox: 'NONE' },
    });
    const notifyUsers = [...toBen.notifyUsers, carl];
    await notifiedIn(tenant, { organizationId, documentId }, { notifyUsers });
    const emailed = async () =>
      (
        await api.database.sql<{ emails: object }>(
          `select payload::json -> 'emailRecipients' as emails from event
           where api_key_id = $1 and type = 'notification.add'`,
          [tenant.id],
        )
      ).map(({ emails }) => emails);
    expect(await emailed()).toEqual([notifyUsers]);
    expect(await deleteOf(tenant, 'ben')).toEqual([]);
    expect(await emailed()).toEqual([[carl]]);
  });
});

async function cascade(jobId: string | undefined): Promise<void> {
  const job = await findJob(api.orm.em.fork(), jobId ?? '');
  if (job === null) throw new Error('missing job');
  for await (const _ of removeDescendants(api.orm, job, 0));
}

interface Location {
  readonly organizationId: string;
  readonly documentId: string;
  readonly folderId: string;
}

describe('notices that wait', () => {
  it.each([
    [
      'document',
      async (tenant: TestTenant, { organizationId, documentId }: Location) =>
        tenant.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] }),
    ],
    [
      'folder',
      async (tenant: TestTenant, { organizationId, folderId }: Location) =>
        tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId }),
    ],
  ])('end as notification-gone when their %s is deleted, and nothing is sent', async (_, remove) => {
    const tenant = await aMailingTenant(api, delayed);
    const { organizationId, folderId } = await aFolder(tenant);
    const { documentId } = await aDocument(tenant, { organizationId, folderId });
    await notifiedIn(tenant, { organizationId, documentId }, toBen);
    const location = { organizationId, documentId, folderId };
    await cascade((await remove(tenant, location)).jobId);
    const before = mail.mails.length;
    await senders.turn(tenant, 3_700_000);
    expect(mail.mails.length).toBe(before);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers['notification-gone'] },
    ]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('are removed with their organization, as are deliveries and their log', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId } = (await notified(tenant, toBen)) as unknown as Location;
    await senders.turn(tenant);
    const [sent] = await api.database.sql<{ id: string }>(
      `select i.delivery_id as id from delivery_item i join delivery_log l on l.id = i.delivery_id where l.api_key_id = $1`,
      [tenant.id],
    );
    expect(sent).toBeDefined();
    const under = (await notified(tenant, toBen)) as unknown as Location;
    await unreachable.turn(tenant);
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: delayed });
    const kept = (await notified(tenant, toBen)) as unknown as Location;
    const waiting = (await notified(tenant, toBen)) as unknown as Location;
    expect(await waitingOf(api, tenant)).toEqual({ notices: 3, windows: 0, outgoing: 1 });
    const organizationIds = [organizationId, under.organizationId, waiting.organizationId];
    await cascade((await tenant.ok('/v2/organizations/delete', { organizationIds })).jobId);
    expect(await logOf(api, tenant)).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 1 });
    const items = await api.database.sql(`select from delivery_item where delivery_id = $1`, [sent?.id]);
    expect(items).toEqual([]);
    const [left] = await api.database.sql(
      `select o.ext_id from notice n join organization o on o.id = n.org_id where n.api_key_id = $1`,
      [tenant.id],
    );
    expect(left).toEqual({ ext_id: kept.organizationId });
  });

  it.each([
    [
      'of a comment',
      async (tenant: TestTenant) => {
        const location = await aDocument(tenant);
        const comment = {
          from: { userId: 'ada', name: 'Ada' },
          commentText: 'Look',
          taggedUserContacts: toBen.notifyUsers.map((contact) => ({ userId: contact.userId, contact })),
          triggerNotification: true,
        };
        const commentAnnotations = [{ annotationId: 'thread', commentData: [comment] }];
        await tenant.ok('/v2/commentannotations/add', { ...location, commentAnnotations });
        return location.organizationId;
      },
    ],
    [
      'of a notification that was deleted before',
      async (tenant: TestTenant) => {
        const { organizationId, notificationId } = (await notified(tenant, toBen)) as unknown as Located;
        await tenant.ok('/v2/notifications/delete', { organizationId, notificationIds: [notificationId] });
        return organizationId;
      },
    ],
  ])('end without a record after the deletion of their organization: %s', async (_, aNotice) => {
    const tenant = await aMailingTenant(api, delayed);
    const organizationId = await aNotice(tenant);
    expect(await waitingOf(api, tenant)).toEqual({ ...nothing, notices: 1 });
    const organizationIds = [organizationId];
    await cascade((await tenant.ok('/v2/organizations/delete', { organizationIds })).jobId);
    await senders.turn(tenant, 3_700_000);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    expect(await logOf(api, tenant)).toEqual([]);
  });

  it('are removed with their API key, as are deliveries and their log', async () => {
    const tenant = await aMailingTenant(api);
    await notified(tenant, toBen);
    await senders.turn(tenant);
    await notified(tenant, toBen);
    await unreachable.turn(tenant);
    await tenant.ok('/v2/workspace/notificationconfig/update', { notificationServiceConfig: delayed });
    await notified(tenant, toBen);
    const operator = anOperator(api);
    const { keyId } = tenant;
    const { data: key } = await operator.ok<{ name: string }>('/v2/operator/keys/get', { keyId });
    const request = { keyId, confirmName: key.name };
    const { data } = await operator.ok<{ jobId: string }>('/v2/operator/keys/delete', request);
    await endCallsOfDeletedKeys(api.database);
    await beginJob(api.orm, data.jobId);
    const job = await findJob(api.orm.em.fork(), data.jobId);
    if (job === null) throw new Error('missing job');
    const signer = { keyRing: api.keyRing, issuer: 'https://steward.test', journal: undefined };
    for await (const _ of removeKey(api.orm, job, signer));
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    expect(await logOf(api, tenant)).toEqual([]);
  });
});

describe('a delivery that is being sent', () => {
  it('ends without a record when its organization is deleted meanwhile', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId } = (await notified(tenant, toBen)) as unknown as Located;
    await unreachable.turn(tenant);
    await api.database.sql(
      'update outgoing set claimed_until = null, next_at = now() where api_key_id = $1',
      [tenant.id],
    );
    const lane = { tenantId: tenant.id, channel: 'email', now: databaseClock(0) } as const;
    const [delivery, ...others] = await claimDeliveries(api.orm, lane, { max: 2, perSecond: undefined });
    if (delivery === undefined) throw new Error('nothing claimed');
    expect(others).toEqual([]);
    const organizationIds = [organizationId];
    await cascade((await tenant.ok('/v2/organizations/delete', { organizationIds })).jobId);
    expect(await waitingOf(api, tenant)).toMatchObject({ outgoing: 1 });
    const ended = { kind: 'ended', status: 'sent', reason: null, provider: 'smtp', reference: null } as const;
    const recorded = [{ ...ended, delivery, attempts: delivery.attempts, suppress: null }];
    await recordOutcomes(api.orm, lane, { recorded, moved: [], dropped: [], removed: [] });
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    expect(await logOf(api, tenant)).toEqual([]);
    const items = await api.database.sql(`select from delivery_item where delivery_id = $1`, [delivery.id]);
    expect(items).toEqual([]);
  });
});

describe('users/data/get', () => {
  it('exports the deliveries of a user in pages, including those that wait to be sent', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const { notificationId } = await notifiedIn(tenant, { organizationId, documentId }, toBen);
    await senders.turn(tenant);
    const tenantId = tenant.id;
    for (let count = 0; count < 101; count += 1)
      await anEndedDelivery(api, { tenantId, notificationId, userId: 'ben' });
    type Exported = { readonly deliveries: readonly { readonly deliveryId: string }[] };
    const subject = { organizationId, userId: 'ben' };
    const first = await tenant.ok<Exported>('/v2/users/data/get', subject);
    const { nextPageToken: pageToken } = first;
    const second = await tenant.ok<Exported>('/v2/users/data/get', { ...subject, pageToken });
    expect(first.data.deliveries[0]).toMatchObject({
      userId: 'ben',
      organizationId,
      channel: 'email',
      status: 'sent',
      notificationIds: [notificationId],
    });
    const ids = [...first.data.deliveries, ...second.data.deliveries].map(({ deliveryId }) => deliveryId);
    expect([first.data.deliveries.length, ids.length, new Set(ids).size]).toEqual([100, 102, 102]);
    const { data: ofOther } = await tenant.ok<Exported>('/v2/users/data/get', {
      organizationId,
      userId: 'ada',
    });
    expect(ofOther.deliveries).toEqual([]);
  });
});
