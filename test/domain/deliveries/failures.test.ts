import { describe, expect, it } from '@jest/globals';
import { finalStatuses, heldReasons, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { ProviderConnections } from '../../../platform/senders/provider-connections.ts';
import { aDocument, freshId, type TestTenant } from '../../support/factories.ts';
import { type Script } from '../../support/mail-server.ts';
import { aMailingTenant, logOf, notified, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const { api, mail, senders } = await sendingScene();

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const minute = 60_000;
const mailsTo = (address: string) => mail.mails.filter(({ to }) => to === address);

async function aScriptedReader(script: Script | undefined) {
  const email = `${freshId('ben')}@users.test`;
  mail.script(email, script);
  const tenant = await aMailingTenant(api);
  await notified(tenant, { notifyUsers: [{ userId: 'ben', email }] });
  return { tenant, email };
}

const heldOf = async (tenant: TestTenant) =>
  (
    await api.database.sql<{ reason: number }>('select reason from channel_state where api_key_id = $1', [
      tenant.id,
    ])
  ).map(({ reason }) => reason);

const endsPause = async (tenant: TestTenant) =>
  api.database.sql('update channel_state set next_try = now() where api_key_id = $1', [tenant.id]);

const anAttempt = { number: 1, at: expect.any(Number), durationMs: expect.any(Number) };

const attemptsOf = async (tenant: TestTenant) =>
  (
    await api.database.sql<{ attempts: unknown[] }>('select attempts from outgoing where api_key_id = $1', [
      tenant.id,
    ])
  ).map(({ attempts }) => attempts);

describe('an attempt', () => {
  it('that fails temporarily is repeated after the next delay of the schedule', async () => {
    const { tenant, email } = await aScriptedReader({ atRecipient: '451 4.3.0 try later' });
    const { nextIn = 0 } = await senders.turn(tenant);
    expect(nextIn).toBeGreaterThan(10_000);
    expect(nextIn).toBeLessThanOrEqual(33_000);
    mail.script(email, undefined);
    await senders.turn(tenant, minute);
    expect(mailsTo(email)).toHaveLength(1);
    expect(await logOf(api, tenant)).toMatchObject([
      {
        status: finalStatuses.sent,
        attempts: [
          { number: 1, outcome: 'failed', code: '4.3.0' },
          { number: 2, outcome: 'accepted' },
        ],
      },
    ]);
  });

  it('that fails after the last delay ends the delivery', async () => {
    const { tenant } = await aScriptedReader({ atRecipient: '451 4.3.0 try later' });
    await senders.turn(tenant);
    await senders.turn(tenant, minute);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.failed, reason: reasonNumbers['attempts-used'], attempts: [{}, {}] },
    ]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('to an unknown address suppresses the address', async () => {
    const { tenant, email } = await aScriptedReader({ atRecipient: '550 5.1.1 no such user' });
    await senders.turn(tenant);
    mail.script(email, undefined);
    await notified(tenant, { notifyUsers: [{ userId: 'ben', email }] });
    await senders.turn(tenant);
    expect(mailsTo(email)).toEqual([]);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.failed, reason: reasonNumbers.refused },
      { status: finalStatuses.skipped, reason: reasonNumbers.suppressed, attempts: [] },
    ]);
  });

  it('whose connection is lost after the final dot is unknown, and repeats the Message-ID', async () => {
    const { tenant, email } = await aScriptedReader({ drop: 'after the final dot' });
    await senders.turn(tenant);
    const [{ public_id: id } = { public_id: '' }] = await api.database.sql<{ public_id: string }>(
      'select public_id from outgoing where api_key_id = $1',
      [tenant.id],
    );
    mail.script(email, undefined);
    await senders.turn(tenant, minute);
    expect(mailsTo(email).map(({ parsed }) => parsed.messageId)).toEqual([`<${id}@mail.test>`]);
    expect(await logOf(api, tenant)).toMatchObject([
      { attempts: [{ outcome: 'unknown' }, { number: 2, outcome: 'accepted' }] },
    ]);
  });

  it('that the server defers pauses the channel and does not count as an attempt', async () => {
    const { tenant, email } = await aScriptedReader({ atSender: '450 4.7.1 slow down' });
    const { nextIn = 0, counts } = await senders.turn(tenant);
    expect(counts).toMatchObject({ held: true, waiting: 1 });
    expect(nextIn).toBeGreaterThan(20_000);
    expect(await heldOf(tenant)).toEqual([heldReasons.paused]);
    mail.script(email, undefined);
    await endsPause(tenant);
    await senders.turn(tenant, minute);
    expect(await logOf(api, tenant)).toMatchObject([{ attempts: [{ number: 1, outcome: 'accepted' }] }]);
    expect(await heldOf(tenant)).toEqual([]);
  });

  it('that the server defers again and again lets later messages of the channel through', async () => {
    const { tenant, email } = await aScriptedReader({ atRecipient: '421 4.7.0 greylisted' });
    const later = `${freshId('ann')}@users.test`;
    await senders.turn(tenant);
    await notified(tenant, { notifyUsers: [{ userId: 'ann', email: later }] });
    await endsPause(tenant);
    await senders.turn(tenant);
    expect(mailsTo(later)).toHaveLength(1);
    mail.script(email, undefined);
    await senders.turn(tenant, minute);
    expect(mailsTo(email)).toHaveLength(1);
  });
});

describe('a channel', () => {
  it('without a mail server is held, and sends after 71 hours, but not after 73', async () => {
    const away = sendersOf(api, undefined);
    const { tenant, email } = await aScriptedReader(undefined);
    const end = await away.turn(tenant);
    expect(end.counts).toMatchObject({ held: true, waiting: 1 });
    expect(await heldOf(tenant)).toEqual([heldReasons['smtp-not-configured']]);
    await senders.turn(tenant, 71 * 60 * minute);
    expect(mailsTo(email)).toHaveLength(1);
    const late = await aScriptedReader(undefined);
    await away.turn(late.tenant);
    await senders.turn(late.tenant, 73 * 60 * minute);
    expect(mailsTo(late.email)).toEqual([]);
    expect(await logOf(api, late.tenant)).toMatchObject([
      { status: finalStatuses.failed, reason: reasonNumbers.expired },
    ]);
    await away.close();
  });

  it.each([
    ['without a mail server', undefined, []],
    ['whose server is away', 'smtp://127.0.0.1:1', [heldReasons.unreachable]],
  ])(
    '%s ends deliveries that it has held for 72 hours, also before the next attempt',
    async (_, url, kept) => {
      const counted: unknown[] = [];
      const away = sendersOf(api, url, {
        onOutcome: (outcome) => {
          if (outcome.kind === 'ended') counted.push(outcome.status);
        },
      });
      const { tenant } = await aScriptedReader(undefined);
      await notified(tenant, { notifyUsers: [{ userId: 'ann', email: 'ann@users.test' }] });
      await away.turn(tenant);
      const tomorrow = 24 * 60 * minute;
      await api.database.sql(
        `update channel_state set next_try = now() + interval '1 day' where api_key_id = $1`,
        [tenant.id],
      );
      const { nextIn } = await away.turn(tenant, 71 * 60 * minute);
      expect(nextIn).toBeLessThan(tomorrow);
      expect(await waitingOf(api, tenant)).toMatchObject({ outgoing: 2 });
      const ended = await away.turn(tenant, 73 * 60 * minute);
      expect(ended).toMatchObject({ nextIn: undefined, counts: { waiting: 0 } });
      expect(await heldOf(tenant)).toEqual(kept);
      const expired = { status: finalStatuses.failed, reason: reasonNumbers.expired, attempts: [] };
      expect(await logOf(api, tenant)).toMatchObject([expired, expired]);
      expect(counted).toEqual(['failed', 'failed']);
      await away.close();
    },
  );

  it('ends deliveries that were ready for 72 hours, also those attempted before the hold', async () => {
    const { tenant } = await aScriptedReader({ atRecipient: '450 4.2.2 mailbox full' });
    await senders.turn(tenant);
    await api.database.sql(
      `update outgoing set next_at = next_at + interval '20 hours' where api_key_id = $1`,
      [tenant.id],
    );
    const away = sendersOf(api, undefined);
    const { nextIn } = await away.turn(tenant, 52 * 60 * minute);
    expect(nextIn).toBeLessThan(21 * 60 * minute);
    expect(await waitingOf(api, tenant)).toMatchObject({ outgoing: 1 });
    await away.turn(tenant, 73 * 60 * minute);
    expect(await logOf(api, tenant)).toMatchObject([
      {
        status: finalStatuses.failed,
        reason: reasonNumbers.expired,
        attempts: [{ number: 1, outcome: 'failed' }],
      },
    ]);
    await away.close();
  });

  it('ends held deliveries when their channel is off', async () => {
    const away = sendersOf(api, undefined);
    const { tenant } = await aScriptedReader(undefined);
    await away.turn(tenant);
    await tenant.ok('/v2/workspace/emailconfig/update', { useEmailService: false });
    await away.turn(tenant);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers['channel-off'] },
    ]);
    await away.close();
  });

  it('whose server is unreachable is held without using an attempt', async () => {
    const away = sendersOf(api, 'smtp://127.0.0.1:1');
    const { tenant } = await aScriptedReader(undefined);
    await away.turn(tenant);
    expect(await heldOf(tenant)).toEqual([heldReasons.unreachable]);
    await endsPause(tenant);
    await senders.turn(tenant);
    expect(await logOf(api, tenant)).toMatchObject([{ attempts: [{ number: 1, outcome: 'accepted' }] }]);
    await away.close();
  });

  it('whose last message ends without an attempt is no longer held', async () => {
    const away = sendersOf(api, 'smtp://127.0.0.1:1');
    const tenant = await aMailingTenant(api);
    const location = await aDocument(tenant);
    const { notificationId } = await notifiedIn(tenant, location);
    await away.turn(tenant);
    expect(await heldOf(tenant)).toEqual([heldReasons.unreachable]);
    await tenant.ok('/v2/notifications/update', {
      organizationId: location.organizationId,
      notifications: [{ id: notificationId, readByUserIds: ['ben'] }],
    });
    await api.database.sql('update channel_state set next_try = now() where api_key_id = $1', [tenant.id]);
    expect(await away.turn(tenant)).toMatchObject({ nextIn: undefined, counts: { waiting: 0 } });
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers.seen },
    ]);
    expect(await heldOf(tenant)).toEqual([]);
    await away.close();
  });

  it('pauses as long as the provider requests, also when another message of the claim fails unexpectedly', async () => {
    const { tenant } = await aScriptedReader(undefined);
    await notified(tenant, { notifyUsers: [{ userId: 'ann', email: 'ann@users.test' }] });
    let attempts = 0;
    const failing = sendersOf(api, mail.url, {
      openTransport: async () => ({
        connections: new ProviderConnections(),
        prepare: async () => async () => {
          attempts += 1;
          if (attempts === 1) throw new Error('unexpected');
          const verdict = { result: 'paused', code: '429', waitMs: 60 * minute } as const;
          return { verdict, provider: 'sendgrid', unknownAddress: null };
        },
      }),
    });
    await expect(failing.turn(tenant)).rejects.toThrow('unexpected');
    const { nextIn = 0, counts } = await failing.turn(tenant);
    expect([attempts, counts.held]).toEqual([2, true]);
    expect(nextIn).toBeGreaterThan(minute);
    expect(await heldOf(tenant)).toEqual([heldReasons.paused]);
    await failing.close();
  });

  it('sends the other messages of a claim when one of them cannot be prepared', async () => {
    const { tenant, email } = await aScriptedReader(undefined);
    await notified(tenant, { notifyUsers: [{ userId: 'ann', email: 'bad@users.test' }] });
    const sent: string[] = [];
    const failing = sendersOf(api, mail.url, {
      openTransport: async () => ({
        connections: new ProviderConnections(),
        prepare: async (_em, _messages, noticesOf) => {
          if (noticesOf.some(([notice]) => notice?.email === 'bad@users.test')) throw new Error('unexpected');
          return async (_delivery, _texts, [notice]) => {
            sent.push(notice?.email ?? '');
            const verdict = { result: 'accepted', code: '250', reference: null } as const;
            return { verdict, provider: 'smtp', unknownAddress: null };
          };
        },
      }),
    });
    await expect(failing.turn(tenant)).rejects.toThrow('unexpected');
    expect(sent).toEqual([email]);
    expect(await attemptsOf(tenant)).toEqual([[{ ...anAttempt, outcome: 'failed', code: 'unprepared' }]]);
    await expect(failing.turn(tenant, minute)).rejects.toThrow('unexpected');
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.sent, attempts: [{ outcome: 'accepted' }] },
      { status: finalStatuses.failed, reason: reasonNumbers['attempts-used'], attempts: [{}, {}] },
    ]);
    await failing.close();
  });

  it('releases a claim without an attempt when its check fails', async () => {
    const { tenant, email } = await aScriptedReader(undefined);
    let opened = 0;
    const failing = sendersOf(api, mail.url, {
      openTransport: async () => {
        opened += 1;
        // The first call precedes the claim.
        if (opened === 2) throw new Error('unexpected');
        return { connections: new ProviderConnections(), prepare: async () => Promise.reject(new Error()) };
      },
    });
    await expect(failing.turn(tenant)).rejects.toThrow('unexpected');
    expect(await attemptsOf(tenant)).toEqual([[]]);
    await senders.turn(tenant);
    expect(mailsTo(email)).toHaveLength(1);
    await failing.close();
  });

  it('sends no e-mail for a key whose e-mail settings an earlier release stored', async () => {
    const { tenant, email } = await aScriptedReader(undefined);
    await api.database.sql(`delete from key_config where api_key_id = $1 and kind = 'emailsending'`, [
      tenant.id,
    ]);
    await senders.turn(tenant);
    expect(mailsTo(email)).toEqual([]);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers['not-confirmed'] },
    ]);
  });
});
