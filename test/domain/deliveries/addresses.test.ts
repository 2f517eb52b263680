import { describe, expect, it } from '@jest/globals';
import { finalStatuses, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { aMailingTenant, logOf, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const { api, mail, senders } = await sendingScene();

const toAll = { 'comment_annotation.add': true, 'comment.add': true };
const triggers = { triggers: { comment: toAll } };

/** Runs turns until nothing is due. Returns the recipients. */
async function recipientsOf(tenant: TestTenant, inMs = 0): Promise<string[]> {
  const before = mail.mails.length;
  await senders.turn(tenant, inMs);
  return mail.mails
    .slice(before)
    .map(({ to }) => to)
    .toSorted();
}

const comment = (members: object) => ({ from: { userId: 'ada' }, triggerNotification: true, ...members });

describe('the address of a notification', () => {
  it('is that of a tag or of the assignee when the user record has none', async () => {
    const tenant = await aMailingTenant(api, {}, triggers);
    const location = await aDocument(tenant);
    const { organizationId, documentId } = location;
    await tenant.ok('/v2/users/add', {
      organizationId,
      documentId,
      users: [{ userId: 'ben' }, { userId: 'eve' }],
    });
    const annotationId = freshId('thread');
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [
        {
          annotationId,
          assignedTo: { userId: 'eve', email: 'eve@users.test' },
          commentData: [
            comment({
              commentText: 'Hello {{ben}}',
              taggedUserContacts: [
                { userId: 'ben', text: '@Ben', contact: { userId: 'ben', email: 'ben@users.test' } },
              ],
            }),
          ],
        },
      ],
    });
    expect(await recipientsOf(tenant)).toEqual(['ben@users.test', 'eve@users.test']);
    const { data } = await tenant.ok<Record<string, unknown>[]>('/v2/notifications/get', location);
    expect(data[0]?.['notifyUsers']).toEqual({ 'ben@users.test': true, 'eve@users.test': true });
    await tenant.ok('/v2/commentannotations/comments/add', {
      ...location,
      annotationId,
      commentData: [comment({ commentText: 'Again' })],
    });
    expect(await recipientsOf(tenant)).toEqual(['ben@users.test', 'eve@users.test']);
  });

  it('of a comment is none that other records or former profiles gave', async () => {
    const tenant = await aMailingTenant(api, {}, triggers);
    const location = await aDocument(tenant);
    await tenant.ok('/v2/users/add', {
      ...location,
      users: [{ userId: 'ben', email: 'former@users.test' }],
    });
    await tenant.ok('/v2/users/update', { ...location, users: [{ userId: 'ben', email: '' }] });
    const annotationId = freshId('thread');
    await tenant.ok('/v2/commentannotations/add', {
      ...location,
      commentAnnotations: [
        {
          annotationId,
          context: { x: { userId: 'ben', email: 'free@evil.test' } },
          commentData: [
            comment({
              commentText: 'Hello',
              context: { x: { userId: 'ben', email: 'comment@evil.test' } },
              taggedUserContacts: [{ userId: 'ben', contact: { userId: 'ben' } }],
            }),
          ],
        },
      ],
    });
    expect(await recipientsOf(tenant)).toEqual([]);
    expect(await logOf(api, tenant)).toMatchObject([{ reason: reasonNumbers['no-address'], attempts: [] }]);
  });

  it('is the one sent with the call, also while the inbox of the user is off', async () => {
    const tenant = await aMailingTenant(api);
    const location = await aDocument(tenant);
    const config = { inbox: 'NONE', email: 'ALL', slack: 'NONE' };
    await tenant.ok('/v2/users/add', { ...location, users: [{ userId: 'ben' }] });
    await tenant.ok('/v2/notifications/config/set', {
      organizationId: location.organizationId,
      userIds: ['ben'],
      config,
    });
    const toBen = (email: string) => ({ notifyUsers: [{ userId: 'ben', email }] });
    const first = await notifiedIn(tenant, location, toBen('first@users.test'));
    await notifiedIn(tenant, location, toBen('second@users.test'));
    expect(await recipientsOf(tenant)).toEqual(['first@users.test', 'second@users.test']);
    const { notificationId } = first;
    await notifiedIn(tenant, location, { notificationId, ...toBen('third@users.test') });
    expect(await recipientsOf(tenant)).toEqual(['third@users.test']);
    await notifiedIn(tenant, location, { notificationId, notifyUsers: [{ userId: 'cleo' }] });
    const stored = await api.database.sql(
      'select r.email from named_recipient r join notification n on n.id = r.notification_id where n.ext_id = $1',
      [notificationId],
    );
    expect(stored).toEqual([]);
  });
});

describe('a digest', () => {
  const window = { isEnabled: true, batchWindowSeconds: 60, maxActivities: 50 };

  const addresses = ['first@users.test', 'second@users.test', 'first@users.test'] as const;

  /** Notifications for Ben that wait in a window, one for each address. */
  async function twoAddresses(email: string, sentTo: readonly string[] = addresses) {
    const tenant = await aMailingTenant(api, { batchConfig: { document: window } });
    const location = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { ...location, users: [{ userId: 'ben', email }] });
    for (const address of sentTo)
      await notifiedIn(tenant, location, { notifyUsers: [{ userId: 'ben', email: address }] });
    await senders.turn(tenant);
    return { tenant, location };
  }

  const status = finalStatuses.sent;
  const digestAndMessage = [
    { status, items: 2, digest: true },
    { status, items: 1, digest: false },
  ];

  it('contains only notifications for its address', async () => {
    const { tenant } = await twoAddresses('');
    expect(await recipientsOf(tenant, 120_000)).toEqual(['first@users.test', 'second@users.test']);
    expect((await logOf(api, tenant)).toSorted((one, other) => other.items - one.items)).toMatchObject(
      digestAndMessage,
    );
  });

  it('leaves notifications to other messages when the address that they shared was removed', async () => {
    const { tenant, location } = await twoAddresses('ben@users.test');
    const held = sendersOf(api, undefined);
    await held.turn(tenant, 120_000);
    await held.close();
    expect(await waitingOf(api, tenant)).toEqual({ notices: 3, windows: 0, outgoing: 1 });
    await tenant.ok('/v2/users/update', { ...location, users: [{ userId: 'ben', email: '' }] });
    expect(await recipientsOf(tenant)).toEqual(['first@users.test', 'second@users.test']);
    expect(await logOf(api, tenant)).toMatchObject(digestAndMessage);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 0, windows: 0, outgoing: 0 });
  });

  it('of which one notification is left is logged as a message', async () => {
    const { tenant, location } = await twoAddresses('ben@users.test', addresses.slice(0, 2));
    const held = sendersOf(api, undefined);
    await held.turn(tenant, 120_000);
    await held.close();
    await tenant.ok('/v2/users/update', { ...location, users: [{ userId: 'ben', email: '' }] });
    expect(await recipientsOf(tenant)).toEqual(['first@users.test', 'second@users.test']);
    const message = { status, items: 1, digest: false };
    expect(await logOf(api, tenant)).toMatchObject([message, message]);
  });
});
