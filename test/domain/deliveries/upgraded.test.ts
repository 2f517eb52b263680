import { describe, expect, it } from '@jest/globals';
import { aDocument, aTenant } from '../../support/factories.ts';
import { logOf, notifiedIn, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const { api, mail, senders } = await sendingScene();

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const year = 365 * 24 * 3_600_000;

describe('a key of 0.2.0 with a year of settings and notifications', () => {
  it('sends no e-mail after the upgrade until its e-mail settings are saved, and then only for later notifications', async () => {
    const tenant = await aTenant(api);
    // Rows as 0.2.0 writes them: every setting is on, and no e-mail was ever sent.
    const all = Object.fromEntries(['newComment', 'mention', 'reply'].map((name) => [name, true]));
    for (const [kind, config] of [
      [
        'notification',
        {
          useNotificationService: true,
          notificationServiceConfig: { delayConfig: { isEnabled: true, delaySeconds: 60 } },
        },
      ],
      [
        'email',
        {
          useEmailService: true,
          emailServiceConfig: { type: 'default', fromEmail: 'team@acme.test', triggers: { comment: all } },
        },
      ],
    ] as const)
      await api.database.sql(
        `insert into key_config (api_key_id, kind, config, first_enabled_at) values ($1, $2, $3, now() - interval '1 year')`,
        [tenant.id, kind, JSON.stringify(config)],
      );
    const location = await aDocument(tenant);
    for (let day = 0; day < 24; day += 1) {
      await notifiedIn(tenant, location, { notificationId: `day-${String(day * 15)}` });
      await api.database.sql(
        `update notification set ts = ts - $2 * 86400000::bigint where api_key_id = $1 and ext_id = $3`,
        [tenant.id, day * 15, `day-${String(day * 15)}`],
      );
    }
    await senders.turn(tenant, year);
    expect(mail.mails).toHaveLength(0);
    expect([await waitingOf(api, tenant), await logOf(api, tenant)]).toEqual([nothing, []]);
    const state = async () =>
      (await tenant.ok<{ state: object }>('/v2/workspace/emailconfig/get')).data.state;
    expect(await state()).toMatchObject({ status: 'held', reason: 'not-confirmed' });

    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: true });
    await senders.turn(tenant, year);
    expect(mail.mails).toHaveLength(0);
    await notifiedIn(tenant, location, { notificationId: 'after' });
    await senders.turn(tenant, 120_000);
    expect(mail.mails).toHaveLength(1);
  });
});
