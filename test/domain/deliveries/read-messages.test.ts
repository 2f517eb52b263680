import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from '@jest/globals';
import { channelNumbers } from '../../../domain/notices/channels.ts';
import { readMessages } from '../../../domain/deliveries/read-messages.ts';
import { startTestApi } from '../../support/api.ts';
import { aDocument, aTenant, type TestTenant } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(() => api.close());

const aNotifyingTenant = async (): Promise<TestTenant> => {
  const tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  return tenant;
};

/** Writes notices of all notifications of a key for users. `delivery`: SQL, of the notification `n` and the user `u`. */
async function noticesFor({ id }: TestTenant, userIds: readonly string[], delivery: string) {
  const notices = await api.database.sql<{ id: string }>(
    `insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience,
       in_inbox, due_at, delivery_id)
     select n.api_key_id, n.org_id, n.document_id, u.id, n.id, $2, 1, 1, false, n.audience, true, now(), ${delivery}
     from notification n join app_user u on u.api_key_id = n.api_key_id and u.ext_id = any($3) where n.api_key_id = $1
     returning id::text`,
    [id, channelNumbers.email, userIds],
  );
  return notices.map((notice) => notice.id);
}

const readOf = async ({ id: tenantId }: TestTenant, ids: readonly string[]) =>
  readMessages(api.orm.em.fork(), { tenantId, channel: 'email' }, ids);

describe('the contents of a claim of large notifications', () => {
  it('are read at most 2 MiB at a time, in the order of the notifications', async () => {
    const tenant = await aNotifyingTenant();
    const location = await aDocument(tenant);
    const notificationIds = Array.from({ length: 20 }, (_, at) => `n${String(at).padStart(2, '0')}`);
    for (const notificationId of notificationIds)
      await tenant.ok('/v2/notifications/add', {
        ...location,
        notificationId,
        actionUser: { userId: 'ada' },
        displayHeadlineMessageTemplate: 'x',
        displayBodyMessage: notificationId,
        notificationSourceData: { pad: 'x'.repeat(250 * 1_024) },
        notifyUsers: [{ userId: 'ben' }],
      });
    const ids = await noticesFor(tenant, ['ben'], 'n.id % 2 + 1');
    let read: Awaited<ReturnType<typeof readMessages>> = new Map();
    const sent = await statementsOf(async () => {
      read = await readOf(tenant, ids);
    });
    // One for the sizes, and three for 5 MB.
    expect(sent).toHaveLength(4);
    const texts = [...read.values()].map((messages) => messages.map(({ notice }) => notice.text));
    expect(texts.flat().sort()).toEqual(notificationIds);
    for (const ofDelivery of texts) expect(ofDelivery).toEqual([...ofDelivery].sort());
  });

  it('keep at most 29 MB of 50 digests of 50 with the longest texts', async () => {
    const tenant = await aNotifyingTenant();
    const long = (bytes: number, id: string) => id.padEnd(bytes, 'x');
    const [organizationId, documentId] = [long(1_000, 'o'), long(1_000, 'd')];
    const name = '語'.repeat(1_000);
    await tenant.ok('/v2/organizations/add', { organizations: [{ organizationId, organizationName: name }] });
    const location = await aDocument(tenant, { organizationId, documentId, documentName: name });
    const userIds = Array.from({ length: 50 }, (_, at) => `u${String(at)}`);
    await tenant.ok('/v2/users/add', { organizationId, users: userIds.map((userId) => ({ userId })) });
    for (const userId of userIds)
      await tenant.ok('/v2/notifications/add', {
        ...location,
        notificationId: long(128, userId),
        actionUser: { userId: 'ada', name },
        displayHeadlineMessageTemplate: '{x}{x}',
        displayHeadlineMessageTemplateData: { x: '語'.repeat(32_768) },
        displayBodyMessage: '😀'.repeat(5_000),
        notifyUsers: [{ userId: 'ada' }],
      });
    const ids = await noticesFor(tenant, userIds, 'u.id');
    const before = heapAfterCollection();
    const read = await readOf(tenant, ids);
    expect(heapAfterCollection() - before).toBeLessThan(29_000_000);
    const digests = [...read.values()].map((messages) => messages.map(({ notice }) => notice));
    expect(digests.map(({ length }) => length)).toEqual(userIds.map(() => 50));
    for (const [first, ...others] of digests) {
      expect(first?.text).toBe('😀'.repeat(5_000));
      for (const { headline, text } of others)
        expect([headline, text]).toEqual(['語'.repeat(150), '😀'.repeat(500)]);
    }
  });
});

function heapAfterCollection(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
