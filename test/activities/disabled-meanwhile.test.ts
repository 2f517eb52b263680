import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { svixProvider } from '../../domain/webhooks/svix/svix-provider.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aDocument, anOperator, freshId, type TestTenant } from '../support/factories.ts';
import { aSvixServer, svixToken } from '../support/svix-server.ts';
import { aListeningTenant } from '../support/webhooks.ts';
import { migrate, statusOf } from '../workflows/migrations.ts';

const svix = await aSvixServer();
const api = await startTestApi({ environment: svix.environment });
afterAll(async () => {
  await api.close();
  await svix.close();
});

const webhooks = svixProvider({ token: svixToken, serverUrl: svix.environment['SVIX_SERVER_URL'] });
const activities = createActivities(activityDependencies(api, api.orm, { webhooks }));

/** Runs a step of a job like a worker. */
const step = async <Result>(activity: (job: { jobId: string }) => Promise<Result>, jobId: string) =>
  new MockActivityEnvironment().run(activity, { jobId });

/** Runs `act` while the key is disabled. */
async function whileDisabled({ keyId }: TestTenant, act: () => Promise<unknown>) {
  const operator = anOperator(api);
  await operator.ok('/v2/operator/keys/disable', { keyId });
  await act();
  await operator.ok('/v2/operator/keys/enable', { keyId });
}

describe('a key that is disabled for one step of a job', () => {
  it('has an application at Svix when its endpoint operations open', async () => {
    const tenant = await aListeningTenant(api);
    const { data } = await tenant.ok<{ jobId: string }[]>('/v2/jobs/list', { kind: 'webhook-provisioning' });
    const jobId = data[0]?.jobId ?? '';
    expect(await step(activities.beginJob, jobId)).toBe(true);
    await whileDisabled(tenant, async () => step(activities.makeWebhookApplication, jobId));
    expect(svix.applications.size).toBe(0);
    await step(activities.openWebhookApplication, jobId);
    expect(svix.applications.size).toBe(1);
    const { data: job } = await tenant.ok<{ status: string }>('/v2/jobs/get', { jobId });
    expect(job.status).toBe('completed');
  });

  it('has the counts of its migrations', async () => {
    const tenant = await aListeningTenant(api);
    const document = await aDocument(tenant);
    await tenant.ok('/v2/users/add', { ...document, users: [{ userId: 'ada' }] });
    const jobId = await migrate(tenant, document, freshId('document'));
    expect(await step(activities.beginJob, jobId)).toBe(true);
    await whileDisabled(tenant, async () => step(activities.countRecords, jobId));
    expect((await statusOf(tenant, document, jobId)).counts).toBeNull();
    expect(await step(activities.flipDocumentId, jobId)).toBe(true);
    await step(activities.verifyMove, jobId);
    const { status, counts, verified } = await statusOf(tenant, document, jobId);
    expect({ status, verified }).toEqual({ status: 'completed', verified: true });
    expect(Object.values(counts ?? {}).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(0);
  });

  it('has its migration verified when the report of the changed id was lost', async () => {
    const tenant = await aListeningTenant(api);
    const jobId = await migrate(tenant, await aDocument(tenant), freshId('document'));
    expect(await step(activities.beginJob, jobId)).toBe(true);
    await step(activities.flipDocumentId, jobId);
    await whileDisabled(tenant, async () => {
      expect(await step(activities.flipDocumentId, jobId)).toBe(true);
    });
  });
});
