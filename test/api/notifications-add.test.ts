import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';
import { aUser, inADocument, members, texts, users, type Added } from './notification-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
});
afterAll(async () => api.close());

describe('adding a notification', () => {
  it.each([1, 2] as const)('answers its id on /v%i, and what was sent is read again', async (version) => {
    const document = await inADocument(tenant);
    const sent = {
      ...texts,
      displayHeadlineMessageTemplateData: { recipientUser: { userId: 'b', name: 'Ben' }, project: 'X' },
      displayBodyMessageTemplate: '{x}',
      displayBodyMessageTemplateData: { x: 'y' },
      notificationSource: 'comment',
      notificationSourceData: { commentId: 7, ['__proto__']: { a: 1 } },
      location: { locationId: 'page-1', name: 'Page 1' },
      context: { k: ['v'] },
    };
    const added = await document.ok<Added>(
      'add',
      {
        documentId: document.documentId,
        ...sent,
        metadata: { priority: 'high', apiKey: 'mine', organizationId: 'mine', documentId: 'mine' },
        notifyUsers: [{ userId: 'b', email: 'ben@example.com' }, { userId: 'c' }],
        isCrossOrganizationEnabled: true,
      },
      { version },
    );
    const { notificationId } = added.data;
    expect(notificationId).toMatch(/^[A-Za-z0-9_-]{1,128}$/);
    expect(added).toEqual({
      status: 'success',
      message: 'Notification added successfully.',
      data: { success: true, message: 'Notification added successfully.', notificationId },
    });
    const [read, ...others] = await document.get();
    expect(others).toEqual([]);
    expect(read).toEqual({
      id: notificationId,
      ...sent,
      timestamp: expect.any(Number),
      notifyUsers: { 'ben@example.com': true },
      notifyUsersByUserId: { b: true, c: true },
      notifyUsersCount: 2,
      metadata: {
        priority: 'high',
        apiKey: tenant.apiKey,
        organizationId: document.organizationId,
        documentId: document.documentId,
      },
    });
  });

  it('needs no texts when the customer’s resolver brings them', async () => {
    const document = await inADocument(tenant);
    const { data } = await document.ok<Added>('add', {
      documentId: document.documentId,
      actionUser: { userId: 'a' },
      isNotificationResolverUsed: true,
      notifyUsers: users('b'),
    });
    expect(await document.get()).toMatchObject([
      { id: data.notificationId, displayBodyMessage: '', displayHeadlineMessageTemplate: '' },
    ]);
  });

  it('makes organization and document only when it is told to', async () => {
    const [organizationId, documentId] = [freshId('organization'), freshId('document')];
    const path = '/v2/notifications/add';
    const sent = { organizationId, documentId, ...texts, notifyUsers: users('b') };
    const before = await allRows(api.database);
    const missing = async (members: object) => {
      const { status, message } = await tenant.refused(path, { ...sent, ...members });
      return [status, message];
    };
    expect(await missing({})).toEqual([
      'NOT_FOUND',
      'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
    ]);
    expect(await missing({ createOrganization: true })).toEqual([
      'NOT_FOUND',
      'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
    ]);
    expect(await allRows(api.database)).toEqual(before);
    await tenant.ok(path, { ...sent, createOrganization: true, createDocument: true });
    const read = await tenant.ok<unknown[]>('/v2/notifications/get', { organizationId, documentId });
    expect(read.data).toHaveLength(1);
  });

  it('counts a recipient who is named twice once, as it was named last', async () => {
    const document = await inADocument(tenant);
    await document.add({
      notifyUsers: [
        { userId: 'b', email: 'old@example.com' },
        { userId: 'b', email: 'new@example.com' },
      ],
    });
    expect(await document.get()).toMatchObject([
      { notifyUsers: { 'new@example.com': true }, notifyUsersCount: 1 },
    ]);
  });

  it('shows a recipient’s own e-mail address, and the one that was sent where there is none', async () => {
    const document = await inADocument(tenant);
    const known = aUser();
    await document.add({
      notifyUsers: [
        { userId: known, email: 'sent@example.com' },
        { userId: aUser(), email: 'only@example.com' },
      ],
    });
    const emails = async () => Object.keys((await document.get())[0]?.notifyUsers ?? {}).sort();
    expect(await emails()).toEqual(['only@example.com', 'sent@example.com']);
    await tenant.ok('/v2/users/add', {
      organizationId: document.organizationId,
      users: [{ userId: known, email: 'own@example.com' }],
    });
    expect(await emails()).toEqual(['only@example.com', 'own@example.com']);
  });

  it('keeps users called like members of every object', async () => {
    const document = await inADocument(tenant);
    const ids = ['__proto__', 'constructor', 'toString'];
    await document.add({ notifyUsers: ids.map((userId) => ({ userId, email: `${userId}@example.com` })) });
    const [read] = await document.get({ userId: '__proto__' });
    expect(Object.keys(read?.notifyUsersByUserId ?? {}).sort()).toEqual([...ids].sort());
    expect(Object.keys(read?.notifyUsers ?? {})).toContain('__proto__@example.com');
  });
});

describe('adding a notification whose id exists', () => {
  it('overwrites it, also from another document of the organization, and makes it unread', async () => {
    const document = await inADocument(tenant);
    const { organizationId } = document;
    const other = freshId('document');
    const notificationId = freshId('n');
    await document.add({ notificationId, notifyUsers: users('a', 'b') });
    const [first] = await document.get({ userId: 'a' });
    await document.ok('update', { notifications: [{ id: notificationId, readByUserIds: ['a', 'b'] }] });
    expect(await document.get({ userId: 'a' })).toMatchObject([{ isUnread: false }]);
    await document.add({
      notificationId,
      documentId: other,
      createDocument: true,
      displayBodyMessage: 'Anew.',
      notifyUsers: users('b', 'c'),
    });
    expect(await document.get()).toEqual([]);
    expect(await document.get({ userId: 'a' })).toEqual([]);
    expect(await document.get({ userId: 'b' })).toEqual([
      {
        ...first,
        displayBodyMessage: 'Anew.',
        notifyUsersByUserId: { b: true, c: true },
        isUnread: true,
        metadata: { apiKey: tenant.apiKey, organizationId, documentId: other },
      },
    ]);
    const rows = await api.database.sql(
      'select 1 from notification_recipient where user_id = (select id from app_user where ext_id = $1 and api_key_id = $2) and org_id = (select id from organization where ext_id = $3)',
      ['a', tenant.id, organizationId],
    );
    expect(rows).toEqual([]);
  });

  it('changes nothing when it asks for the same again, and keeps what was read', async () => {
    const document = await inADocument(tenant);
    const sent = { notificationId: freshId('n'), notifyUsers: users('a') };
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: sent.notificationId, readByUserIds: ['a'] }] });
    // An update makes it something that no addition said: the next one writes it anew.
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: 'none', readByUserIds: ['a'] }] });
    const before = await allRows(api.database);
    const again = await document.add({ ...sent, explain: true });
    expect(again).toMatchObject({ notificationId: sent.notificationId, explain: [{ notified: true }] });
    expect(await allRows(api.database)).toEqual(before);
  });

  it('is done once, however many come at once', async () => {
    const document = await inADocument(tenant);
    const notificationId = freshId('n');
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        document.add({
          notificationId,
          displayBodyMessage: String(n),
          notifyUsers: users('a', `b${String(n)}`),
        }),
      ),
    );
    const [read, ...others] = await document.get({ userId: 'a' });
    expect(others).toEqual([]);
    expect(read?.notifyUsersByUserId).toEqual({
      a: true,
      [`b${String(read?.['displayBodyMessage'])}`]: true,
    });
  });
});

describe('who gets a notification', () => {
  const reasons = ({ explain }: Added) =>
    Object.fromEntries((explain ?? []).map(({ userId, reason, notified }) => [userId, [reason, notified]]));

  it('is the members of the document, but the acting user, when nobody is named', async () => {
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

  it('is nobody but those named, the acting user included, whatever notifyAll says', async () => {
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

  it('is not who wants nothing, nor, of the members, who wants only what names them', async () => {
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

  it('is decided by the nearest place at which the person said anything, channel by channel', async () => {
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

  it('may be nobody', async () => {
    const document = await inADocument(tenant);
    const { notificationId, explain } = await document.add({ explain: true });
    expect(explain).toEqual([]);
    expect(await document.get()).toMatchObject([
      { id: notificationId, notifyUsers: {}, notifyUsersByUserId: {}, notifyUsersCount: 0 },
    ]);
  });

  it('is nobody who may not reach the document, where permissions are verified', async () => {
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

  it('is nobody but the first 1,000 members in the call; a job goes on', async () => {
    const document = await inADocument(tenant);
    const many = Array.from({ length: 1_002 }, (_, n) => `m${String(n).padStart(4, '0')}`);
    await members(tenant, document, many);
    const { jobId, explain } = await document.add({ explain: true });
    expect(explain?.map(({ userId }) => userId)).toEqual(many.slice(0, 1_000));
    const job = await tenant.ok('/v2/jobs/get', { jobId });
    expect(job.data).toMatchObject({ kind: 'cascade', status: 'pending' });
  });

  it('costs as many statements for 1,000 people as for one', async () => {
    const document = await inADocument(tenant);
    const count = async (recipients: readonly string[]) =>
      (await statementsOf(() => document.add({ notifyUsers: users(...recipients) }))).length;
    await count(['first']);
    const many = Array.from({ length: 1_000 }, (_, n) => `many-${String(n)}`);
    await count(many);
    expect(await count(many)).toBe(await count(['first']));
  });
});

describe('a notification is refused, and nothing is written,', () => {
  const cases: readonly [string, object, Record<string, string>][] = [
    [
      'without what it needs',
      { actionUser: undefined, displayHeadlineMessageTemplate: undefined, displayBodyMessage: undefined },
      {
        'data.actionUser': 'actionUser is required.',
        'data.displayHeadlineMessageTemplate': 'displayHeadlineMessageTemplate is required.',
        'data.displayBodyMessage': 'displayBodyMessage is required.',
      },
    ],
    [
      'to nobody',
      { notifyAll: false },
      { 'data.notifyUsers': 'notifyUsers is required when notifyAll is false.' },
    ],
    [
      'with an empty list',
      { notifyUsers: [] },
      { 'data.notifyUsers': 'notifyUsers must hold 1 to 1000 items, not 0.' },
    ],
    [
      'with more than 1,000 recipients',
      { notifyUsers: Array.from({ length: 1_001 }, (_, n) => ({ userId: String(n) })) },
      { 'data.notifyUsers': 'notifyUsers must hold 1 to 1000 items, not 1001.' },
    ],
    [
      'with more than 1,000 people beside the acting one',
      {
        notifyUsers: Array.from({ length: 1_000 }, (_, n) => ({ userId: String(n) })),
        context: { who: { userId: 'one-more' } },
      },
      { data: 'data must name at most 1000 different users, not 1001.' },
    ],
    [
      'with an id of another form',
      { notificationId: 'a b' },
      { 'data.notificationId': 'notificationId must be 1 to 128 of the characters A-Z a-z 0-9 _ -.' },
    ],
    [
      'from an unknown source',
      { notificationSource: 'dream' },
      {
        'data.notificationSource':
          'notificationSource must be one of: comment, huddle, crdt, recorder, custom.',
      },
    ],
    [
      'with wrong types',
      { metadata: [], context: 'x', location: { locationId: '' }, verifyUserPermissions: 'yes' },
      {
        'data.metadata': 'metadata must be an object.',
        'data.context': 'context must be an object.',
        'data.location.locationId': 'location.locationId must not be empty.',
        'data.verifyUserPermissions': 'verifyUserPermissions must be a boolean.',
      },
    ],
    [
      'that is too large',
      { notificationSourceData: { x: 'x'.repeat(270_000) } },
      { data: 'data must be at most 256 KiB beside notifyUsers.' },
    ],
    ['with a misspelt option', { notifyAlll: false }, { 'data.notifyAlll': 'Unknown member: notifyAlll.' }],
  ];

  it.each(cases)('%s', async (_title, members, issues) => {
    const document = await inADocument(tenant);
    const before = await allRows(api.database);
    const refusal = await document.refused('add', { documentId: document.documentId, ...texts, ...members });
    expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(issuesOf(refusal)).toEqual(issues);
    expect(refusal.message).toBe(refusal.details.issues?.[0]?.message);
    expect(await allRows(api.database)).toEqual(before);
  });

  it('while one of its people is being deleted; members under deletion are left out', async () => {
    const document = await inADocument(tenant);
    const [fenced, free] = [aUser(), aUser()];
    await members(tenant, document, [fenced, free]);
    await fence(fenced);
    const before = await allRows(api.database);
    const named = [
      { notifyUsers: users(fenced) },
      { context: { by: { userId: fenced } } },
      { actionUser: { userId: fenced } },
    ];
    for (const naming of named) {
      const refusal = await document.refused('add', {
        documentId: document.documentId,
        ...texts,
        ...naming,
      });
      expect([refusal.http, refusal.status, refusal.message, refusal.details['userIds']]).toEqual([
        400,
        'FAILED_PRECONDITION',
        'User data deletion is in progress.',
        [fenced],
      ]);
    }
    expect(await allRows(api.database)).toEqual(before);
    const { explain } = await document.add({ explain: true });
    expect(explain?.map(({ userId }) => userId)).toEqual([free]);
  });
});

async function fence(userId: string): Promise<void> {
  await api.database.sql(
    `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 2, 1) returning id)
     insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
     select j.id, u.id, u.ext_id, $1, now() from j, app_user u where u.api_key_id = $1 and u.ext_id = $3`,
    [tenant.id, freshId('job'), userId],
  );
}

describe('the event of a notification', () => {
  const events = async () =>
    api.database.sql<{ type: string; channels: string[]; payload: Record<string, unknown>; users: string[] }>(
      `select e.type, e.channels, e.payload, array(
         select u.ext_id from event_user x join app_user u on u.id = x.user_id where x.event_id = e.id order by 1) as users
       from event e where e.api_key_id = $1 order by e.id`,
      [tenant.id],
    );

  it('is recorded once for each change, naming whom it names, and not for the same again', async () => {
    const document = await inADocument(tenant);
    await document.add({ notifyUsers: users('b') });
    expect(await events()).toEqual([]);
    await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await api.database.sql(
      `insert into webhook_endpoint (api_key_id, public_id, url) values ($1, $2, 'https://example.com')`,
      [tenant.id, freshId('ep')],
    );
    const notificationId = freshId('n');
    const sent = {
      notificationId,
      notifyUsers: [{ userId: 'b', email: 'b@example.com' }],
      context: { about: { userId: 'c' } },
    };
    await document.add(sent);
    await document.add(sent);
    await document.ok('update', { notifications: [{ id: notificationId, displayBodyMessage: 'x' }] });
    const { organizationId, documentId } = document;
    expect(await events()).toEqual([
      {
        type: 'notification.add',
        channels: [organizationId, documentId],
        payload: {
          ...texts,
          notificationSource: 'custom',
          context: sent.context,
          id: notificationId,
          timestamp: expect.any(Number),
          notifyUsers: { 'b@example.com': true },
          notifyUsersByUserId: { b: true },
          notifyUsersCount: 1,
          metadata: { organizationId, documentId },
        },
        users: ['actor', 'b', 'c'],
      },
    ]);
  });
});
