import { afterAll, describe, expect, it } from '@jest/globals';
import { channelNumbers } from '../../../domain/notices/channels.ts';
import { readMessages } from '../../../domain/deliveries/read-messages.ts';
import { startTestApi } from '../../support/api.ts';
import { aDocument, aTenant } from '../../support/factories.ts';
import { statementsOf } from '../../support/statements.ts';

const api = await startTestApi();
afterAll(() => api.close());

describe('the contents of a claim of large notifications', () => {
  it('are read at most 2 MiB at a time, in the order of the notifications', async () => {
    const tenant = await aTenant(api);
    await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
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
    const notices = await api.database.sql<{ id: string }>(
      `insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience,
         in_inbox, due_at, delivery_id)
       select n.api_key_id, n.org_id, n.document_id, u.id, n.id, $2, 1, 1, false, n.audience, true, now(), n.id % 2 + 1
       from notification n join app_user u on u.api_key_id = n.api_key_id and u.ext_id = 'ben' where n.api_key_id = $1
       returning id::text`,
      [tenant.id, channelNumbers.email],
    );
    let read: Awaited<ReturnType<typeof readMessages>> = new Map();
    const lane = { tenantId: tenant.id, channel: 'email' } as const;
    const sent = await statementsOf(async () => {
      read = await readMessages(
        api.orm.em.fork(),
        lane,
        notices.map(({ id }) => id),
      );
    });
    // One for the sizes, and three for 5 MB.
    expect(sent).toHaveLength(4);
    const texts = [...read.values()].map((messages) => messages.map(({ notice }) => notice.text));
    expect(texts.flat().sort()).toEqual(notificationIds);
    for (const ofDelivery of texts) expect(ofDelivery).toEqual([...ofDelivery].sort());
  });
});
