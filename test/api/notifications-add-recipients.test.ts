import { describe, expect, it } from '@jest/globals';
import { aTenant } from '../support/factories.ts';
import { statementsOf } from '../support/statements.ts';
import { withListeners } from '../support/webhooks.ts';
import { aUser, inADocument, members, users, type Added, notificationsScene } from './notification-calls.ts';

const { api, tenant } = await notificationsScene();

describe('the recipients of a notification', () => {
  const reasons = ({ explain }: Added) =>
    Object.fromEntries((explain ?? []).map(({ userId, reason, notified }) => [userId, [reason, notified]]));

  it('are the members of the document except the acting user when none is named', async () => {
    const document = await inADocument(tenant);
    const [a, b] = [aUser(), aUser()];
    await members(tenant, document, [a, b]);
    await tenant.ok('/v2/users/add', {
      organizationId: document.organizationId,
      users: users(aUser()),
    });
    const added = await document.add({ actionUser: { userId: a }, explain: true });
    expect(reasons(added)).toEqual({ [b]: ['member', true] });
    expect(await document.get()).toMatchObject([{ notifyUsersByUserId: { [b]: true }, notifyUsersCount: 1 }]);
  });

  it('are only the named users, including the acting user, regardless of notifyAll', async () => {
    const document = await inADocument(tenant);
    await members(tenant, document, [aUser()]);
    for (const notifyAll of [true, false]) {
      const added = await document.add({
        notifyAll,
        actionUser: { userId: 'a' },
        notifyUsers: users('a', 'b'),
        explain: true,
      });
      expect(reasons(added)).toEqual({ a: ['named', true], b: ['named', true] });
    }
  });

  it('exclude users who turned notifications off, and unnamed members who want only notifications that name them', async () => {
    const document = await inADocument(tenant);
    const [all, mine, none] = [aUser(), aUser(), aUser()];
    await members(tenant, document, [all, mine, none]);
    const set = async (userId: string, inbox: string) =>
      document.ok('config/set', { userIds: [userId], config: { inbox } });
    await set(all, 'ALL');
    await set(mine, 'MINE');
    await set(none, 'NONE');
    expect(reasons(await document.add({ explain: true }))).toEqual({
      [all]: ['member', true],
      [mine]: ['inbox-mine', false],
      [none]: ['inbox-none', false],
    });
    const named = await document.add({ notifyUsers: users(all, mine, none), explain: true });
    expect(reasons(named)).toEqual({
      [all]: ['named', true],
      [mine]: ['named', true],
      [none]: ['inbox-none', false],
    });
    const read = await document.get();
    expect(read.map(({ notifyUsersByUserId }) => notifyUsersByUserId)).toEqual([
      { [all]: true, [mine]: true },
      { [all]: true },
    ]);
  });

  it('follow, for each channel, the user’s setting at the nearest level', async () => {
    const document = await inADocument(tenant);
    const user = aUser();
    const decided = async () =>
      (await document.add({ notifyUsers: users(user), explain: true })).explain?.[0];
    expect(await decided()).toMatchObject({
      source: 'default',
      channels: { inbox: true, email: true, slack: false },
    });
    await document.ok('config/set', { userIds: [user], config: { inbox: 'NONE', slack: 'ALL' } });
    expect(await decided()).toEqual({
      userId: user,
      notified: false,
      reason: 'inbox-none',
      source: 'organization',
      channels: { inbox: false, email: true, slack: true },
    });
    await document.ok('config/set', {
      userIds: [user],
      documentIds: [document.documentId],
      config: { inbox: 'ALL' },
    });
    expect(await decided()).toMatchObject({
      notified: true,
      source: 'document',
      channels: { inbox: true, email: true, slack: true },
    });
  });

  it('may be an empty list', async () => {
    const document = await inADocument(tenant);
    const { notificationId, explain } = await document.add({ explain: true });
    expect(explain).toEqual([]);
    expect(await document.get()).toMatchObject([
      { id: notificationId, notifyUsers: {}, notifyUsersByUserId: {}, notifyUsersCount: 0 },
    ]);
  });

  it('exclude users without access to the document where permissions are verified', async () => {
    const document = await inADocument(tenant);
    const [member, stranger] = [aUser(), aUser()];
    await members(tenant, document, [member]);
    await tenant.ok('/v2/organizations/documents/access/update', {
      organizationId: document.organizationId,
      documentIds: [document.documentId],
      accessType: 'restricted',
    });
    const sent = { notifyUsers: users(member, stranger), explain: true };
    expect(reasons(await document.add({ ...sent, verifyUserPermissions: true }))).toEqual({
      [member]: ['named', true],
      [stranger]: ['no-access', false],
    });
    expect(reasons(await document.add(sent))[stranger]).toEqual(['named', true]);
    await tenant.ok('/v2/organizations/access/disablestate/update', {
      organizationIds: [document.organizationId],
      disabled: true,
    });
    expect(reasons(await document.add({ verifyUserPermissions: true, explain: true }))).toEqual({
      [member]: ['no-access', false],
    });
  });

  it('are the first 1,000 members in the call, and a job adds the rest', async () => {
    const document = await inADocument(tenant);
    const many = Array.from({ length: 1_002 }, (_, n) => `m${String(n).padStart(4, '0')}`);
    await members(tenant, document, many);
    const { jobId, explain } = await document.add({ explain: true });
    expect(explain?.map(({ userId }) => userId)).toEqual(many.slice(0, 1_000));
    const job = await tenant.ok('/v2/jobs/get', { jobId });
    expect(job.data).toMatchObject({ kind: 'cascade', status: 'pending' });
  });

  it('need as many statements for 1,000 users as for one', async () => {
    const document = await inADocument(tenant);
    const count = async (recipients: readonly string[]) =>
      (await statementsOf(() => document.add({ notifyUsers: users(...recipients) }))).length;
    await count(['first']);
    const many = Array.from({ length: 1_000 }, (_, n) => `many-${String(n)}`);
    await count(many);
    expect(await count(many)).toBe(await count(['first']));
  });
});

describe('the event of a notification', () => {
  const custom = { useEmailService: true, emailServiceConfig: { type: 'custom' } };

  /** The recipients of each event, in order. */
  const eventsOf = async (tenantId: string) =>
    api.database.sql<{ inbox: object; emails: readonly object[] | null }>(
      `select payload::json -> 'notifyUsersByUserId' as inbox, payload::json -> 'emailRecipients' as emails
       from event where api_key_id = $1 and type = 'notification.add' order by id`,
      [tenantId],
    );

  it('names the users that the customer’s own sender should e-mail, also those without an inbox', async () => {
    const listening = await withListeners(await aTenant(api), api);
    const document = await inADocument(listening);
    const { organizationId } = document;
    const inRecord = { userId: 'cid', email: 'cid@record.test' };
    await listening.ok('/v2/users/add', { organizationId, users: [inRecord] });
    await document.ok('config/set', { userIds: ['ben', 'cid'], config: { inbox: 'NONE' } });
    await document.ok('config/set', { userIds: ['eve'], config: { email: 'NONE' } });
    const notifyUsers = [
      ...['ben', 'cid'].map((userId) => ({ userId, email: `${userId}@sent.test` })),
      { userId: 'dan' },
      { userId: 'eve' },
    ];
    await document.add({ notifyUsers });
    await listening.ok('/v2/workspace/emailconfig/update', custom);
    await document.add({ notifyUsers });
    await document.add({ notifyUsers: users('eve') });
    const inbox = { dan: true, eve: true };
    expect(await eventsOf(listening.id)).toEqual([
      { inbox, emails: null },
      {
        inbox,
        emails: [
          { userId: 'ben', email: 'ben@sent.test' },
          { userId: 'cid', email: 'cid@record.test' },
          { userId: 'dan', email: '' },
        ],
      },
      { inbox: { eve: true }, emails: [] },
    ]);
  });

  it('lists members for the customer’s own sender only when they want e-mail about all, as many statements for 1,000', async () => {
    const listening = await withListeners(await aTenant(api), api);
    await listening.ok('/v2/workspace/emailconfig/update', custom);
    const added = async (userIds: readonly string[]) => {
      const document = await inADocument(listening);
      await members(listening, document, [...userIds, 'mine']);
      await document.ok('config/set', { userIds, config: { inbox: 'NONE', email: 'ALL' } });
      return (await statementsOf(async () => document.add({}))).length;
    };
    const many = Array.from({ length: 999 }, (_, n) => `all-${String(n).padStart(3, '0')}`);
    await added(many.slice(0, 1));
    expect(await added(many)).toBe(await added(many.slice(0, 1)));
    const [first, large] = await eventsOf(listening.id);
    expect(first).toEqual({ inbox: { mine: true }, emails: [{ userId: 'all-000', email: '' }] });
    expect(large?.emails).toHaveLength(999);
  });
});
