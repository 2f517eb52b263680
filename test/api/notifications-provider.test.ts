import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { allowing, aProvider, failing, saying, type TestProvider } from '../support/provider.ts';
import { inADocument, members, texts, users, type Added } from './notification-calls.ts';

let api: TestApi;
let tenant: TestTenant;
let provider: TestProvider;

beforeAll(async () => {
  // One connection besides that of the credentials: a call that held it during the request would be detected.
  api = await startTestApi({
    environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8', DATABASE_POOL_SIZE: '2' },
  });
  provider = await aProvider();
  tenant = await aTenant(api);
  await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: provider.url },
  });
});
afterAll(async () => {
  await api.close();
  await provider.close();
});

const reasons = ({ explain }: Added) =>
  Object.fromEntries((explain ?? []).map(({ userId, reason }) => [userId, reason]));

describe('verifying permissions by the permission provider', () => {
  it('notifies only users that it allows to read the document of an added notification, with one request for all', async () => {
    const calls = await inADocument(tenant);
    provider.behave(allowing('ann'));
    const before = provider.received.length;
    const added = await calls.add({
      notifyUsers: users('ann', 'ben'),
      verifyUserPermissions: true,
      explain: true,
    });
    expect(reasons(added)).toEqual({ ann: 'named', ben: 'no-access' });
    expect(provider.received.length).toBe(before + 1);
    expect(await calls.get()).toMatchObject([{ notifyUsersByUserId: { ann: true } }]);
  });

  it('calls the provider for members, and for a document that the call creates', async () => {
    const calls = await inADocument(tenant);
    const [ann, ben] = [freshId('user'), freshId('user')];
    await members(tenant, calls, [ann, ben]);
    provider.behave(allowing(ann));
    const added = await calls.add({ verifyUserPermissions: true, explain: true });
    expect(reasons(added)).toEqual({ [ann]: 'member', [ben]: 'no-access' });
    const documentId = freshId('document');
    const made = await calls.add({
      documentId,
      createDocument: true,
      notifyUsers: users(ann),
      verifyUserPermissions: true,
      explain: true,
    });
    expect(reasons(made)).toEqual({ [ann]: 'named' });
  });

  it('notifies only users that it allows to read the document of an updated notification', async () => {
    const calls = await inADocument(tenant);
    const { notificationId: id } = await calls.add({ notifyUsers: users('ann') });
    provider.behave(allowing('zoe'));
    const before = provider.received.length;
    await calls.ok('update', {
      notifications: [{ id, displayBodyMessage: 'x' }],
      verifyUserPermissions: true,
    });
    expect(provider.received.length).toBe(before);
    await calls.ok('update', {
      notifications: [{ id, notifyUsers: users('zoe', 'ben') }],
      verifyUserPermissions: true,
    });
    expect(await calls.get()).toMatchObject([{ notifyUsersByUserId: { zoe: true }, notifyUsersCount: 1 }]);
  });

  it('decides about the document of a notification that moves meanwhile', async () => {
    const calls = await inADocument(tenant);
    const { notificationId: id } = await calls.add({ notifyUsers: users('ann') });
    const moved = freshId('document');
    const before = provider.received.length;
    provider.behave(async (received, response) => {
      if (provider.received.length === before + 1)
        await api.database.sql('update document set ext_id = $1 where ext_id = $2', [
          moved,
          calls.documentId,
        ]);
      await allowing('zoe')(received, response);
    });
    await calls.ok('update', {
      notifications: [{ id, notifyUsers: users('zoe', 'ben') }],
      verifyUserPermissions: true,
    });
    expect(await calls.get({ documentId: moved })).toMatchObject([{ notifyUsersByUserId: { zoe: true } }]);
  });

  it('happens only on request', async () => {
    const calls = await inADocument(tenant);
    provider.behave(failing(403));
    const before = provider.received.length;
    await calls.add({ notifyUsers: users('ann') });
    expect(provider.received.length).toBe(before);
    expect(await calls.get()).toMatchObject([{ notifyUsersByUserId: { ann: true } }]);
  });

  it('denies access when the provider fails', async () => {
    const calls = await inADocument(tenant);
    provider.behave(failing(403));
    const added = await calls.add({ notifyUsers: users('ann'), verifyUserPermissions: true, explain: true });
    expect(reasons(added)).toEqual({ ann: 'no-access' });
    provider.behave(saying({ hasAccess: true }));
  });

  it('replays a response without another call', async () => {
    const calls = await inADocument(tenant);
    provider.behave(allowing('ann'));
    const idempotencyKey = freshId('key');
    const sent = {
      documentId: calls.documentId,
      ...texts,
      notifyUsers: users('ann'),
      verifyUserPermissions: true,
    };
    const first = await calls.ok('add', sent, { idempotencyKey });
    const before = provider.received.length;
    expect(await calls.ok('add', sent, { idempotencyKey })).toEqual(first);
    expect(provider.received.length).toBe(before);
    expect(await calls.get()).toHaveLength(1);
  });

  it('is refused for more than 1,000 users before the document is created, without a request', async () => {
    const calls = await inADocument(tenant);
    const before = provider.received.length;
    const refusal = await calls.refused('add', {
      ...texts,
      documentId: freshId('document'),
      createDocument: true,
      notifyUsers: users('ann'),
      context: { named: users(...Array.from({ length: 1_000 }, (_, n) => `named-${String(n)}`)) },
      verifyUserPermissions: true,
    });
    expect(refusal.message).toBe('data must name at most 1000 different users, not 1001.');
    const documents = await api.database.sql(
      'select 1 from document d join organization o on o.id = d.org_id where o.ext_id = $1',
      [calls.organizationId],
    );
    expect(documents).toHaveLength(1);
    expect(provider.received.length).toBe(before);
  });

  it('is refused for a document of more than 1,000 members, without a request', async () => {
    const calls = await inADocument(tenant);
    await members(
      tenant,
      calls,
      Array.from({ length: 1_001 }, (_, n) => `crowd-${String(n)}`),
    );
    const before = provider.received.length;
    const refusal = await calls.refused('add', {
      documentId: calls.documentId,
      ...texts,
      verifyUserPermissions: true,
    });
    expect([refusal.http, refusal.status, refusal.message]).toEqual([
      400,
      'FAILED_PRECONDITION',
      'With a permission provider, verifyUserPermissions is for documents of at most 1,000 members. Send notifyUsers.',
    ]);
    expect(provider.received.length).toBe(before);
    expect(await calls.get()).toEqual([]);
  });

  it('is refused for a missing document without a request', async () => {
    const { organizationId } = await aDocument(tenant);
    const before = provider.received.length;
    const sent = {
      organizationId,
      documentId: 'none',
      ...texts,
      notifyUsers: users('ann'),
      verifyUserPermissions: true,
    };
    const refusal = await tenant.refused('/v2/notifications/add', sent);
    expect([refusal.http, refusal.status]).toEqual([404, 'NOT_FOUND']);
    expect(provider.received.length).toBe(before);
  });
});
