import { describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { lockDueWindows, waitingIn } from '../../../domain/deliveries/close-windows.ts';
import { batchingOf, joinWindows } from '../../../domain/deliveries/join-windows.ts';
import type { Window } from '../../../domain/deliveries/windows.ts';
import { finalStatuses, noticeStates, reasonNumbers } from '../../../domain/notices/statuses.ts';
import { aDocument, freshId } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { waitsForLock } from '../../support/lock-waits.ts';
import { aMailingTenant, logOf, notifiedIn, sendersOf, waitingOf } from '../../support/senders.ts';
import { explain, isTransactionCommand, statementsOf } from '../../support/statements.ts';
import { sendingScene } from '../../support/sending-scene.ts';

const { api, mail, senders } = await sendingScene();

const nothing = { notices: 0, windows: 0, outgoing: 0 };
const off = { isEnabled: false, batchWindowSeconds: 10, maxActivities: 2 };
const minutes = (count: number) => count * 60_000;
const lasting = (seconds: number, maxActivities = 50) => ({
  isEnabled: true,
  batchWindowSeconds: seconds,
  maxActivities,
});

/** A key with these windows, and its reader's address. */
async function aBatchingTenant(batchConfig: object) {
  const tenant = await aMailingTenant(api, { batchConfig });
  const email = `${freshId('ben')}@users.test`;
  const location = await aDocument(tenant);
  return {
    tenant,
    location,
    add: async (headline: string, inLocation: object = location, members: object = {}) =>
      notifiedIn(tenant, inLocation, {
        ...members,
        displayHeadlineMessageTemplate: headline,
        notifyUsers: [{ userId: 'ben', email }],
      }),
    mails: () => mail.mails.filter(({ to }) => to === email),
  };
}

describe('a document window', () => {
  it('sends one digest of its notices, oldest first, when it closes', async () => {
    const { tenant, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    await add('First');
    const { nextIn = 0 } = await senders.turn(tenant);
    expect(nextIn).toBeGreaterThan(minutes(9));
    await add('Second');
    await senders.turn(tenant, minutes(5));
    expect(mails()).toEqual([]);
    await senders.turn(tenant, minutes(11));
    expect(mails()).toHaveLength(1);
    const { subject = '', text = '' } = mails()[0]?.parsed ?? {};
    expect(subject).toMatch(/^2 updates in /);
    expect(text.indexOf('First')).toBeLessThan(text.indexOf('Second'));
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.sent, digest: true, items: 2 }]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('of a week sends notices that have waited in it longer than the 72 hours of a held channel', async () => {
    const { tenant, add, mails } = await aBatchingTenant({ document: lasting(604_800), user: off });
    await add('First');
    await add('Second');
    await senders.turn(tenant);
    await senders.turn(tenant, minutes(7 * 24 * 60 + 1));
    expect(mails()).toHaveLength(1);
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.sent, digest: true, items: 2 }]);
  });

  it('that was due more than 72 hours ago sends only the notices that joined it later', async () => {
    const { tenant, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    await add('First');
    await add('Second');
    await senders.turn(tenant);
    await api.database.sql(`update notice set due_at = due_at - interval '100 hours' where api_key_id = $1`, [
      tenant.id,
    ]);
    await api.database.sql(
      `update notice_window set closes_at = closes_at - interval '100 hours' where api_key_id = $1`,
      [tenant.id],
    );
    await add('Late');
    await senders.turn(tenant, minutes(1));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['Late']);
    const log = await logOf(api, tenant);
    expect(log.filter(({ reason }) => reason === reasonNumbers.expired)).toHaveLength(2);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('closes at once when it contains maxActivities notices', async () => {
    const { tenant, add, mails } = await aBatchingTenant({ document: lasting(600, 3), user: off });
    for (const headline of ['One', 'Two', 'Three', 'Four']) await add(headline);
    await senders.turn(tenant);
    expect(mails()).toHaveLength(1);
    expect(mails()[0]?.parsed.subject).toMatch(/^3 updates in /);
    await senders.turn(tenant, minutes(11));
    expect(mails()).toHaveLength(2);
    expect(mails()[1]?.parsed.subject).toBe('Four');
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('drops notices that were read meanwhile, and sends a single remaining one as an ordinary message', async () => {
    const ended: unknown[] = [];
    const counting = sendersOf(api, mail.url, { onEnded: (notices) => ended.push(...notices) });
    const { tenant, location, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    const { notificationId: id } = await add('Read');
    await add('Unread');
    await senders.turn(tenant);
    await tenant.ok('/v2/notifications/update', {
      organizationId: location.organizationId,
      notifications: [{ id, readByUserIds: ['ben'] }],
    });
    await counting.turn(tenant, minutes(11));
    await counting.close();
    expect(ended).toMatchObject([{ status: 'skipped', reason: 'seen' }]);
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['Unread']);
    expect(await logOf(api, tenant)).toMatchObject([
      { status: finalStatuses.skipped, reason: reasonNumbers.seen, items: 1 },
      { status: finalStatuses.sent, digest: false, items: 1 },
    ]);
  });

  it('reports the end of a notice that leaves its digest, because it was read while the channel was held', async () => {
    const ended: unknown[] = [];
    const away = sendersOf(api, undefined);
    const counting = sendersOf(api, mail.url, { onEnded: (notices) => ended.push(...notices) });
    const { tenant, location, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    const { notificationId: id } = await add('Read');
    await add('Unread');
    await away.turn(tenant);
    await away.turn(tenant, minutes(11));
    await tenant.ok('/v2/notifications/update', {
      organizationId: location.organizationId,
      notifications: [{ id, readByUserIds: ['ben'] }],
    });
    expect(await waitingOf(api, tenant)).toMatchObject({ outgoing: 1 });
    await counting.turn(tenant, minutes(11));
    for (const senders of [away, counting]) await senders.close();
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['Unread']);
    expect(ended).toMatchObject([{ status: 'skipped', reason: 'seen' }]);
  });
});

describe('a notice that an overwrite makes wait again while its window closes', () => {
  it('is neither ended nor sent by that window', async () => {
    const { tenant, location, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    const { notificationId: id } = await add('Read');
    await senders.turn(tenant);
    await tenant.ok('/v2/notifications/update', {
      organizationId: location.organizationId,
      notifications: [{ id, readByUserIds: ['ben'] }],
    });
    const overwriting = await api.database.connect();
    await overwriting.query('begin');
    await overwriting.query(
      `update notice set state = $1, due_at = now() + interval '1 day' where api_key_id = $2`,
      [noticeStates.waiting, tenant.id],
    );
    const closing = senders.turn(tenant, minutes(11));
    expect(await waitsForLock(api.database, closing)).toBe(true);
    await overwriting.query('commit');
    await closing;
    expect(mails()).toEqual([]);
    expect(await logOf(api, tenant)).toEqual([]);
    expect(await waitingOf(api, tenant)).toEqual({ notices: 1, windows: 0, outgoing: 0 });
  });
});

describe('a notification that moves to another document while it waits in a window', () => {
  const moved = async (user: object) => {
    const { tenant, location, add, mails } = await aBatchingTenant({ document: lasting(600), user });
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    const { notificationId } = await add('Here');
    await senders.turn(tenant);
    await add('There', other, { notificationId });
    return { tenant, add, mails, other };
  };

  it('is sent when the window of its new document closes', async () => {
    const { tenant, add, mails, other } = await moved(off);
    await senders.turn(tenant, minutes(5));
    await add('Also there', other);
    // The window of the former document closes without it.
    await senders.turn(tenant, minutes(11));
    expect(mails()).toEqual([]);
    await senders.turn(tenant, minutes(16));
    expect(mails()).toHaveLength(1);
    expect(mails()[0]?.parsed.text).toMatch(/There[^]*Also there/);
    expect(await logOf(api, tenant)).toMatchObject([{ status: finalStatuses.sent, digest: true, items: 2 }]);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('is sent once, by the window that closes first', async () => {
    const { tenant, mails } = await moved(lasting(900));
    await senders.turn(tenant, minutes(8));
    await senders.turn(tenant, minutes(11));
    expect(mails()).toEqual([]);
    await senders.turn(tenant, minutes(16));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['There']);
    await senders.turn(tenant, minutes(30));
    expect(mails()).toHaveLength(1);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('is not expired by the time that it waited in the former window', async () => {
    const week = lasting(604_800);
    const { tenant, location, add, mails } = await aBatchingTenant({ document: week, user: off });
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    const { notificationId } = await add('Here');
    await senders.turn(tenant);
    await api.database.sql(`update notice set due_at = due_at - interval '100 hours' where api_key_id = $1`, [
      tenant.id,
    ]);
    await add('There', other, { notificationId });
    await senders.turn(tenant, minutes(1));
    expect(await logOf(api, tenant)).toEqual([]);
    await senders.turn(tenant, minutes(7 * 24 * 60 + 2));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['There']);
  });
});

describe('windows of documents and of the user', () => {
  it('send each notification once, by the first window that closes', async () => {
    const batch = { document: lasting(600), user: lasting(1_200) };
    const { tenant, location, add, mails } = await aBatchingTenant(batch);
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    await add('First');
    await add('Second');
    await senders.turn(tenant);
    await add('Third', other);
    await senders.turn(tenant, minutes(8));
    await senders.turn(tenant, minutes(11));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual([expect.stringMatching(/^2 updates in /)]);
    // The document window of the third closes after 18 minutes, before the user window.
    await senders.turn(tenant, minutes(19));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual([expect.any(String), 'Third']);
    await senders.turn(tenant, minutes(60));
    expect(mails()).toHaveLength(2);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });

  it('of the user collects notifications of several documents', async () => {
    const { tenant, location, add, mails } = await aBatchingTenant({ document: off, user: lasting(600) });
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    await add('Here');
    await add('There', other);
    await senders.turn(tenant);
    await senders.turn(tenant, minutes(11));
    expect(mails()).toHaveLength(1);
    expect(mails()[0]?.parsed.text).toMatch(/Here[^]*There/);
    // Without a name, the organization is named by its id.
    expect(mails()[0]?.parsed.subject).toBe(`2 updates in ${location.organizationId}`);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });
});

describe('windows that are due together', () => {
  it('are closed 50 at a time, with at most 51 notices read of each', async () => {
    const { tenant, add, mails } = await aBatchingTenant({ document: lasting(600), user: off });
    await add('Kept');
    await senders.turn(tenant);
    // 59 windows of one deleted notification each, and 60 deleted ones in the window of the document.
    const columns = 'api_key_id, org_id, user_id, channel';
    await api.database.sql(
      `insert into notice_window (${columns}, document_id, closes_at)
       select ${columns}, -g, closes_at from notice_window cross join generate_series(1, 59) g where api_key_id = $1`,
      [tenant.id],
    );
    await api.database.sql(
      `insert into notice (${columns}, state, why, verify, audience, in_inbox, notification_id, document_id, due_at)
       select ${columns}, state, why, verify, audience, in_inbox, -g, case when g < 60 then -g else document_id end, now()
       from notice cross join generate_series(1, 119) g where api_key_id = $1`,
      [tenant.id],
    );
    const lane = { tenantId: tenant.id, channel: 'email' } as const;
    const inDocument = await api.database.sql<Window>(
      `select user_id as user, org_id as organization, document_id as document from notice_window
       where document_id > 0 and api_key_id = $1`,
      [tenant.id],
    );
    const [due, read] = await transacted(api.orm, async (em) => [
      await lockDueWindows(em, lane, sql<Date>`now() + interval '1 hour'`),
      await waitingIn(em, lane, inDocument),
    ]);
    expect([due.length, read.length]).toEqual([50, 51]);
    await senders.turn(tenant, minutes(11));
    expect(mails().map(({ parsed }) => parsed.subject)).toEqual(['Kept']);
    const log = await logOf(api, tenant);
    expect(log.filter(({ reason }) => reason === reasonNumbers['notification-gone'])).toHaveLength(119);
    expect(await waitingOf(api, tenant)).toEqual(nothing);
  });
});

describe('many notices that wait in windows of one reader', () => {
  const settings = { document: lasting(600, 50), user: off };

  /** Copies the notice that waits to `count` others in the documents 1 to `documents`. */
  async function aCrowd(count: number, documents: number) {
    const { tenant, add } = await aBatchingTenant({ document: lasting(600), user: off });
    await add('First');
    await senders.turn(tenant);
    const columns = 'api_key_id, org_id, user_id, channel';
    await api.database.sql(
      `insert into notice (${columns}, state, why, verify, audience, in_inbox, notification_id, document_id, due_at)
       select ${columns}, state, why, verify, audience, in_inbox, -g, 1 + g % $3, due_at + g * interval '1 second'
       from notice cross join generate_series(1, $2) g where api_key_id = $1`,
      [tenant.id, count, documents],
    );
    const [reader] = await api.database.sql<{ user: string; organization: string }>(
      'select user_id as user, org_id as organization from notice where api_key_id = $1 limit 1',
      [tenant.id],
    );
    if (reader === undefined) throw new Error('missing notice');
    const lane = { tenantId: tenant.id, channel: 'email' } as const;
    const arriving = { ...reader, id: '0', document: '1' };
    const read = async (windows: typeof settings) =>
      transacted(api.orm, async (em) => batchingOf(em, lane, windows, [arriving]));
    return { tenant, lane, arriving, read };
  }

  it('are read only in the documents of arriving ones while the user window is off', async () => {
    const { read } = await aCrowd(40, 4);
    const waiting = await read(settings);
    expect(waiting.map(({ document }) => document)).toEqual(Array.from({ length: 10 }, () => '1'));
    expect(await read({ ...settings, user: lasting(600) })).toHaveLength(41);
  });

  it.each([
    ['of a document', settings, '1'],
    ['of the user', { document: off, user: lasting(600, 2) }, '0'],
  ])(
    'are read up to 51 of a window %s, which stays open for the others',
    async (_name, windows, document) => {
      const { arriving, read } = await aCrowd(120, 1);
      const waiting = await read(windows);
      expect(waiting).toHaveLength(51);
      const more = Array.from({ length: 3 }, (_, at) => ({ ...arriving, id: `more ${String(at)}` }));
      const { taken, ended } = joinWindows(windows, waiting, more);
      expect(taken[0]?.notices).toEqual(waiting.slice(0, 50));
      expect(ended).toEqual([]);
      const all = joinWindows(windows, waiting.slice(0, 49), more.slice(0, 1));
      expect(all.ended).toMatchObject([{ document }]);
    },
  );

  it('close with locks of the due windows and the user window alone', async () => {
    const { tenant, lane } = await aCrowd(1, 1);
    const columns = 'api_key_id, org_id, user_id, channel, closes_at';
    await api.database.sql(
      `insert into notice_window (${columns}, document_id) select ${columns}, g from notice_window
       cross join generate_series(0, 1) g where api_key_id = $1`,
      [tenant.id],
    );
    await api.database.sql(
      `update notice_window set closes_at = closes_at + interval '1 day' where document_id <> 1 and api_key_id = $1`,
      [tenant.id],
    );
    const held = await transacted(api.orm, async (em) => {
      let due: readonly Window[] = [];
      const sent = await statementsOf(async () => {
        due = await lockDueWindows(em, lane, sql<Date>`now() + interval '1 hour'`);
      });
      for (const statement of sent.filter((one) => !isTransactionCommand(one)))
        expect((await explain(api.database, statement)).wholeTables).toEqual([]);
      const free = await api.database.sql<{ document: string }>(
        'select document_id as document from notice_window where api_key_id = $1 for update skip locked',
        [tenant.id],
      );
      return { due: due.map(({ document }) => document), free: free.map(({ document }) => document) };
    });
    expect(held.due).toEqual(['1']);
    expect(held.free).toHaveLength(1);
    expect(held.free).not.toContain('0');
  });
});
