import { describe, expect, it } from '@jest/globals';
import { issuesOf } from '../support/client.ts';
import { aTenant, freshId } from '../support/factories.ts';
import { allRows } from '../support/rows.ts';
import { statementsOf } from '../support/statements.ts';
import {
  notificationsScene,
  aUser,
  inADocument,
  type Items,
  type NotificationCalls,
} from './notification-calls.ts';
import { fence, fenced } from './users-calls.ts';

const { api, tenant } = await notificationsScene();

interface InForce {
  readonly config: Readonly<Record<string, string>>;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly source: string;
}

const read = async (calls: NotificationCalls, members: object) =>
  (await calls.ok<InForce[]>('config/get', members)).data;

const defaults = { inbox: 'ALL', email: 'MINE', slack: 'NONE' };

describe('setting preferences', () => {
  it.each([1, 2] as const)('in documents on /v%i returns an outcome for each user', async (version) => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    const second = freshId('document');
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: [{ documentId: second }],
    });
    const [a, b] = [aUser(), aUser()];
    const documentIds = [documentId, second];
    const result = await calls.ok<Items>(
      'config/set',
      { documentIds: [...documentIds, second], userIds: [a, b, a], config: { inbox: 'NONE', slack: 'ALL' } },
      { version },
    );
    const message = 'User config set successfully.';
    const item = (id: string) => ({ success: true, id, userId: id, documentId, message });
    expect(result).toEqual({
      status: 'success',
      message,
      data: { [a]: item(a), [b]: item(b) },
      failedCount: 0,
      documentIds,
    });
    expect(await read(calls, { userId: a, documentIds: [second, documentId] })).toEqual(
      [second, documentId].map((id) => ({
        config: { inbox: 'NONE', email: 'MINE', slack: 'ALL' },
        metadata: { organizationId, apiKey: tenant.apiKey, documentId: id, userId: a },
        source: 'document',
      })),
    );
    expect(await read(calls, { userId: a, getOrganizationConfig: true })).toEqual([
      {
        config: defaults,
        metadata: { organizationId, apiKey: tenant.apiKey, documentId: null, userId: a },
        source: 'default',
      },
    ]);
  });

  it('without documents on /v2 sets those of the organization, which apply to documents without their own', async () => {
    const calls = await inADocument(tenant);
    const { documentId } = calls;
    const userId = aUser();
    const result = await calls.ok<Items>('config/set', {
      userIds: [userId],
      config: { inbox: 'MINE', email: 'ALL' },
    });
    expect(result.data).toEqual({
      [userId]: {
        success: true,
        id: userId,
        userId,
        documentId: null,
        message: 'User config set successfully.',
      },
    });
    expect(result).not.toHaveProperty('documentIds');
    const organization = { inbox: 'MINE', email: 'ALL', slack: 'NONE' };
    expect(await read(calls, { userId })).toMatchObject([{ config: organization, source: 'organization' }]);
    expect(
      await read(calls, { userId, documentIds: [documentId], getOrganizationConfig: false }),
    ).toMatchObject([{ config: organization, source: 'organization' }]);
    await calls.ok('config/set', { userIds: [userId], documentIds: [documentId], config: { inbox: 'ALL' } });
    expect(await read(calls, { userId, documentIds: [documentId] })).toMatchObject([
      { config: { inbox: 'ALL', email: 'ALL', slack: 'NONE' }, source: 'document' },
    ]);
  });

  it('changes only the channels that are sent', async () => {
    const calls = await inADocument(tenant);
    const userId = aUser();
    const set = async (config: object) =>
      calls.ok('config/set', { userIds: [userId], documentIds: [calls.documentId], config });
    await set({ inbox: 'NONE', email: 'NONE', slack: 'MINE' });
    await set({ email: 'ALL' });
    expect(await read(calls, { userId, documentIds: [calls.documentId] })).toMatchObject([
      { config: { inbox: 'NONE', email: 'ALL', slack: 'MINE' } },
    ]);
  });

  it('on /v1 ignores unknown channels', async () => {
    const calls = await inADocument(tenant);
    const userId = aUser();
    const data = {
      organizationId: calls.organizationId,
      documentIds: [calls.documentId],
      userIds: [userId],
      config: { inbox: 'NONE', pigeon: 'ALL' },
    };
    const { status, headers } = await tenant.call('/v1/notifications/config/set', data);
    expect([status, headers['x-ignored-members']]).toEqual([200, 'config.pigeon']);
  });

  it('in missing documents fails for every user, names the documents, and writes nothing', async () => {
    const calls = await inADocument(tenant);
    const userId = aUser();
    const before = await allRows(api.database);
    const result = await calls.ok<Items>('config/set', {
      documentIds: [calls.documentId, 'none', 'gone', 'none'],
      userIds: [userId],
      config: { inbox: 'NONE' },
    });
    expect(result).toEqual({
      status: 'success',
      message: 'User config set successfully.',
      data: {
        [userId]: {
          success: false,
          id: userId,
          userId,
          documentId: calls.documentId,
          message: 'Document does not exist',
          code: 'not-found',
        },
      },
      failedCount: 1,
      documentIds: [calls.documentId, 'none', 'gone'],
      missingDocumentIds: ['none', 'gone'],
    });
    expect(await allRows(api.database)).toEqual(before);
  });

  it('is refused for a user whose data is being deleted, also in a missing document', async () => {
    const calls = await inADocument(tenant);
    const userId = aUser();
    await tenant.ok('/v2/users/add', { organizationId: calls.organizationId, users: [{ userId }] });
    const jobId = await fence(api, tenant, userId);
    for (const documentIds of [[calls.documentId], ['none']]) {
      const sent = { documentIds, userIds: [userId], config: { inbox: 'NONE' } };
      expect(await calls.refused('config/set', sent)).toMatchObject(fenced(userId, jobId));
    }
  });

  it('is the only operation that is refused while the notification service is off', async () => {
    const other = await aTenant(api);
    const calls = await inADocument(other);
    await calls.add({ notifyUsers: [{ userId: 'a' }] });
    expect(await calls.get({ userId: 'a' })).toHaveLength(1);
    expect(await read(calls, { userId: 'a' })).toMatchObject([{ config: defaults }]);
    const before = await allRows(api.database);
    for (const version of [1, 2] as const) {
      const sent = { documentIds: [calls.documentId], userIds: ['a'], config: { inbox: 'NONE' } };
      const refusal = await calls.refused('config/set', sent, { version });
      expect([refusal.http, refusal.status, refusal.message]).toEqual([
        400,
        'FAILED_PRECONDITION',
        'Notification service is not enabled. Enable it with POST /v2/workspace/notificationconfig/update.',
      ]);
    }
    expect(await allRows(api.database)).toEqual(before);
  });

  const cases: readonly [string, 1 | 2, object, Record<string, string>][] = [
    ['without documents', 1, { documentIds: undefined }, { 'data.documentIds': 'documentIds is required.' }],
    ['without users', 2, { userIds: undefined }, { 'data.userIds': 'userIds is required.' }],
    [
      'with no documents',
      2,
      { documentIds: [] },
      { 'data.documentIds': 'documentIds must hold 1 to 30 items, not 0.' },
    ],
    [
      'with too many documents and users',
      1,
      {
        documentIds: Array.from({ length: 31 }, (_, n) => String(n)),
        userIds: Array.from({ length: 1_001 }, (_, n) => String(n)),
      },
      {
        'data.documentIds': 'documentIds must hold 1 to 30 items, not 31.',
        'data.userIds': 'userIds must hold 1 to 1000 items, not 1001.',
      },
    ],
    [
      'without a channel',
      2,
      { config: {} },
      { 'data.config': 'At least one of inbox, email, slack must be provided.' },
    ],
    [
      'without a known channel',
      1,
      { config: { pigeon: 'ALL' } },
      { 'data.config': 'At least one of inbox, email, slack must be provided.' },
    ],
    [
      'with an unknown channel',
      2,
      { config: { inbox: 'ALL', pigeon: 'ALL' } },
      { 'data.config.pigeon': 'Unknown member: config.pigeon.' },
    ],
    [
      'with an unknown level',
      2,
      { config: { inbox: 'SOME', email: null } },
      {
        'data.config.inbox': 'config.inbox must be one of: ALL, MINE, NONE.',
        'data.config.email': 'config.email must not be null.',
      },
    ],
  ];

  it.each(cases)(
    '%s on /v%i is refused, and nothing is written',
    async (_title, version, members, issues) => {
      const calls = await inADocument(tenant);
      const before = await allRows(api.database);
      const sent = { documentIds: [calls.documentId], userIds: ['a'], config: { inbox: 'ALL' }, ...members };
      const refusal = await calls.refused('config/set', sent, { version });
      expect([refusal.http, refusal.status]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(issuesOf(refusal)).toEqual(issues);
      expect(await allRows(api.database)).toEqual(before);
    },
  );

  it('costs as many statements for 1,000 users in 30 documents as for one in one', async () => {
    const calls = await inADocument(tenant);
    const { organizationId } = calls;
    const documentIds = Array.from({ length: 30 }, () => freshId('document'));
    await tenant.ok('/v2/organizations/documents/add', {
      organizationId,
      documents: documentIds.map((documentId) => ({ documentId })),
    });
    const userIds = Array.from({ length: 1_000 }, (_, n) => `many-${String(n)}`);
    const set = async (users: string[], documents: string[]) =>
      (
        await statementsOf(() =>
          calls.ok('config/set', { userIds: users, documentIds: documents, config: { inbox: 'NONE' } }),
        )
      ).length;
    await set(userIds, documentIds);
    expect(await set(userIds, documentIds)).toBe(await set(userIds.slice(0, 1), documentIds.slice(0, 1)));
    const last = await read(calls, { userId: 'many-999', documentIds });
    expect(last.every(({ config }) => config['inbox'] === 'NONE')).toBe(true);
  });
});

describe('reading preferences', () => {
  it('returns the defaults for an unknown user', async () => {
    const calls = await inADocument(tenant);
    const userId = aUser();
    const result = await calls.ok<InForce[]>(
      'config/get',
      { userId, documentIds: [calls.documentId] },
      { version: 1 },
    );
    expect(result.message).toBe('User config fetched successfully.');
    expect(result.data).toMatchObject([{ config: defaults, source: 'default' }]);
  });

  it.each([
    ['no user', {}, 'userId is required.'],
    [
      'no user, of the organization',
      { getOrganizationConfig: true },
      'userId is required when getOrganizationConfig is true',
    ],
    [
      'documents and the organization',
      { userId: 'a', documentIds: ['d'], getOrganizationConfig: true },
      'documentIds and getOrganizationConfig exclude each other.',
    ],
    [
      'too many documents',
      { userId: 'a', documentIds: Array.from({ length: 31 }, (_, n) => String(n)) },
      'documentIds must hold 1 to 30 items, not 31.',
    ],
  ])('with %s is refused', async (_title, members, message) => {
    const calls = await inADocument(tenant);
    const refusal = await calls.refused('config/get', members);
    expect([refusal.http, refusal.status, refusal.message]).toEqual([400, 'INVALID_ARGUMENT', message]);
  });

  it('of a missing document is refused', async () => {
    const calls = await inADocument(tenant);
    const refusal = await calls.refused('config/get', {
      userId: 'a',
      documentIds: [calls.documentId, 'none'],
    });
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      404,
      'NOT_FOUND',
      'Document does not exist',
    ]);
  });

  it('returns nothing of another tenant', async () => {
    const calls = await inADocument(tenant);
    const { organizationId, documentId } = calls;
    const userId = aUser();
    await calls.ok('config/set', { userIds: [userId], config: { inbox: 'NONE' } });
    const other = await aTenant(api);
    await other.ok('/v2/organizations/add', { organizations: [{ organizationId }] });
    await other.ok('/v2/organizations/documents/add', { organizationId, documents: [{ documentId }] });
    const theirs = await other.ok('/v2/notifications/config/get', {
      organizationId,
      userId,
      documentIds: [documentId],
    });
    expect(theirs.data).toMatchObject([{ config: defaults, source: 'default' }]);
  });
});
