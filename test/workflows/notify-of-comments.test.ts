import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aDocument, aTenant, type TestTenant } from '../support/factories.ts';
import { aProvider, type TestProvider } from '../support/provider.ts';
import { anEndpoint } from '../support/webhooks.ts';
import { anInstallation, type Installation } from './migrations.ts';

const environment = { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' };

let installation: Installation;
let provider: TestProvider;

beforeAll(async () => {
  installation = await anInstallation({ environment });
  provider = await aProvider();
});
afterAll(async () => {
  await installation.close();
  await provider.close();
});

async function aThread(tenant: TestTenant, members: readonly string[]) {
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await anEndpoint(installation.api, tenant, 'http://127.0.0.1/');
  const place = await aDocument(tenant);
  for (let from = 0; from < members.length; from += 1_000) {
    const users = members.slice(from, from + 1_000).map((userId) => ({ userId }));
    await tenant.ok('/v2/users/add', { ...place, users });
  }
  const commentData = [{ from: { userId: 'ada' }, commentText: 'First' }];
  await tenant.ok('/v2/commentannotations/add', {
    ...place,
    commentAnnotations: [{ annotationId: 't', commentData }],
  });
  return place;
}

const addTo = async (tenant: TestTenant, place: object) => {
  const commentData = [{ from: { userId: 'ben' }, commentText: 'Second', triggerNotification: true }];
  return tenant.ok('/v2/commentannotations/comments/add', { ...place, annotationId: 't', commentData });
};

const completed = async (tenant: TestTenant, jobId: string | undefined) =>
  eventually(async () => {
    const { data } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(`It is ${JSON.stringify(data)}`);
  });

const recipientsOf = async (tenant: TestTenant) =>
  (
    await installation.api.database.sql<{ ext_id: string }>(
      `select u.ext_id from notification_recipient r join app_user u on u.id = r.user_id where r.api_key_id = $1 order by 1`,
      [tenant.id],
    )
  ).map(({ ext_id }) => ext_id);

const eventTypesOf = async (tenant: TestTenant) =>
  (
    await installation.api.database.sql<{ type: string }>(
      'select type from event where api_key_id = $1 order by id',
      [tenant.id],
    )
  ).map(({ type }) => type);

describe('the job that notifies of a comment', () => {
  it('notifies every member once, also when its worker is killed and another goes on', async () => {
    const tenant = await aTenant(installation.api);
    const members = Array.from({ length: 3_500 }, (_, n) => `m${String(n)}`);
    const place = await aThread(tenant, members);
    // The call has committed, and no worker has begun its job.
    const { jobId } = await addTo(tenant, place);
    const killed = await installation.startWorker(environment);
    await killed.kill();
    await installation.startWorker(environment);
    await completed(tenant, jobId);
    expect(await recipientsOf(tenant)).toEqual(['ada', ...members].toSorted());
    const [{ recipient_count: count } = { recipient_count: 0 }] = await installation.api.database.sql<{
      recipient_count: number;
    }>('select recipient_count from notification where api_key_id = $1', [tenant.id]);
    expect(count).toBe(3_501);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add', 'notification.add']);
  });

  it('asks the permission provider, for which no comment waits', async () => {
    const tenant = await aTenant(installation.api);
    const place = await aThread(tenant, ['cid', 'dan']);
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
      usePermissionProvider: true,
      permissionProviderConfig: { permissionProviderUrl: provider.url },
    });
    const allow = (...allowed: readonly string[]) => {
      provider.behave(({ questions }, response) => {
        const data = questions.map(({ userId, resource: { id, type, organizationId } }) => ({
          userId,
          resourceId: id,
          type,
          organizationId,
          hasAccess: allowed.includes(userId),
        }));
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ data }));
      });
    };
    allow('ada', 'dan');
    const before = provider.received.length;
    const { jobId } = await addTo(tenant, place);
    expect(provider.received.length).toBe(before);
    await completed(tenant, jobId);
    expect(await recipientsOf(tenant)).toEqual(['ada', 'dan']);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add', 'notification.add']);
  });

  it('deletes a notification that nobody received', async () => {
    const tenant = await aTenant(installation.api);
    const place = await aThread(tenant, ['cid']);
    await tenant.ok('/v2/workspace/permissionproviderconfig/update', { usePermissionProvider: true });
    const { jobId } = await addTo(tenant, place);
    await completed(tenant, jobId);
    const rows = await installation.api.database.sql('select from notification where api_key_id = $1', [
      tenant.id,
    ]);
    expect(rows).toEqual([]);
    expect(await eventTypesOf(tenant)).toEqual(['comment.add']);
  });
});
