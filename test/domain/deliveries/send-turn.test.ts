import { beforeEach, describe, expect, it } from '@jest/globals';
import { finalStatuses, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { aDocument } from '../../support/factories.ts';
import { aMailingTenant, logOf, notified, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';
import { explain, statementsOf } from '../../support/statements.ts';

const { api, mail, senders } = await sendingScene();

const nothing = { notices: 0, windows: 0, outgoing: 0 };
let taken = 0;
beforeEach(() => {
  taken = mail.mails.length;
});
const mails = () => mail.mails.slice(taken);

describe('a turn of a sender', () => {
  it('sends a notification to its recipient once, and records it', async () => {
    const tenant = await aMailingTenant(api);
    await notified(tenant);
    const end = await senders.turn(tenant);
    expect(end).toEqual({ nextIn: undefined, counts: { waiting: 0, due: 0, sent: 1, held: false } });
    expect(mails()).toMatchObject([{ to: 'ben@users.test', from: 'steward@mail.test' }]);
    expect(mails()[0]?.parsed).toMatchObject({ subject: 'Ada asked' });
    expect(await logOf(api, tenant)).toMatchObject([
      {
        status: finalStatuses.sent,
        reason: null,
        digest: false,
        items: 1,
        attempts: [{ number: 1, outcome: 'accepted' }],
      },
    ]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
    await senders.turn(tenant);
    expect(mails()).toHaveLength(1);
  });

  it('sends no e-mail for a notification that was read within its delay, and reports its end', async () => {
    const ended: unknown[] = [];
    const counting = sendersOf(api, mail.url, { onEnded: (notices) => ended.push(...notices) });
    const tenant = await aMailingTenant(api, { delayConfig: { isEnabled: true, delaySeconds: 600 } });
    const { notificationId, ...location } = await notified(tenant);
    const { nextIn = 0 } = await senders.turn(tenant);
    expect(nextIn).toBeGreaterThan(300_000);
    expect(nextIn).toBeLessThanOrEqual(600_000);
    await tenant.ok('/v2/notifications/update', {
      organizationId: (location as { organizationId?: string }).organizationId,
      notifications: [{ id: notificationId, readByUserIds: ['ben'] }],
    });
    await api.database.sql('update notice set due_at = now() where api_key_id = $1', [tenant.id]);
    await counting.turn(tenant);
    await counting.close();
    expect(mails()).toEqual([]);
    expect(ended).toMatchObject([{ status: 'skipped', reason: 'seen' }]);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers.seen, attempts: [], items: 1 },
    ]);
  });

  it('decides access for the users and documents of its notices, not for each user and document', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId, ...first } = await aDocument(tenant);
    const second = await aDocument(tenant, { organizationId });
    for (const [userId, location] of Object.entries({ ben: { organizationId, ...first }, cleo: second })) {
      const notifyUsers = [{ userId, email: `${userId}@users.test` }];
      await notifiedIn(tenant, location, { notifyUsers, verifyUserPermissions: true });
    }
    const sent = await statementsOf(async () => await senders.turn(tenant));
    expect(
      mails()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(['ben@users.test', 'cleo@users.test']);
    // One statement when the notices are due, and one before the attempts.
    const decided = sent.filter(({ text }) => text.includes('as user_ordinal'));
    const pairs = decided.map(async ({ text, values }) => api.database.sql(text, [...values]));
    expect((await Promise.all(pairs)).map(({ length }) => length)).toEqual([2, 2]);
  });

  it('reads contents by the keys of notices, planned while none has a delivery', async () => {
    const tenant = await aMailingTenant(api);
    await notified(tenant);
    const sent = await statementsOf(async () => await senders.turn(tenant));
    const contents = sent.filter(({ text }) => text.includes('as notification_ext'));
    expect(contents).toHaveLength(1);
    await api.database.sql(
      `insert into notice (api_key_id, org_id, document_id, user_id, notification_id, channel, state, why, verify, audience, in_inbox, due_at)
       select 0, 0, 0, 0, n, 1, 0, 1, false, 0, true, now() + interval '1 day' from generate_series(1, 5000) as n`,
    );
    await api.database.sql('analyze notice');
    for (const statement of contents) {
      const { indexes } = await explain(api.database, statement);
      expect(indexes.filter((name) => name.startsWith('notice_'))).toEqual(['notice_pkey']);
    }
    await api.database.sql('delete from notice where api_key_id = 0');
  });

  it('looks up the organizations of what it logs by their keys', async () => {
    const tenant = await aMailingTenant(api);
    const { organizationId, documentId } = await aDocument(tenant);
    const { notificationId } = await notifiedIn(tenant, { organizationId, documentId });
    await tenant.ok('/v2/notifications/delete', { organizationId, notificationIds: [notificationId] });
    await notifiedIn(tenant, { organizationId, documentId });
    const sent = await statementsOf(async () => await senders.turn(tenant));
    const logging = sent.filter(({ text }) => text.includes('insert into delivery_log'));
    expect(logging).toHaveLength(2);
    expect(await logOf(api, tenant)).toMatchObject([{ items: 1 }, { items: 1 }]);
    for (const statement of logging) {
      const { indexes, wholeTables } = await explain(api.database, statement);
      expect(indexes).toContain('organization_pkey');
      expect(wholeTables).toEqual([]);
    }
  });

  it('sends each message of a backlog of several claims once', async () => {
    const tenant = await aMailingTenant(api);
    const readers = Array.from({ length: 170 }, (_, nth) => `reader-${String(nth)}`);
    const notifyUsers = readers.map((userId) => ({ userId, email: `${userId}@users.test` }));
    await notified(tenant, { notifyUsers });
    let sent = 0;
    // One turn on a machine that sends all of them within the time of a turn.
    for (let nextIn: number | undefined = 0; nextIn !== undefined;) {
      const end = await senders.turn(tenant);
      expect(end.counts).toMatchObject({ waiting: 0, due: 0, held: false });
      sent += end.counts.sent;
      ({ nextIn } = end);
    }
    expect(sent).toBe(readers.length);
    expect(
      mails()
        .map(({ to }) => to)
        .toSorted(),
    ).toEqual(notifyUsers.map(({ email }) => email).toSorted());
    const log = await logOf(api, tenant);
    expect(log).toHaveLength(readers.length);
    expect(new Set(log.map(({ status, items }) => `${String(status)} ${String(items)}`))).toEqual(
      new Set([`${String(finalStatuses.sent)} 1`]),
    );
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });
});
