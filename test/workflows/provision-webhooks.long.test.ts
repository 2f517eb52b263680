import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { killed } from '../support/processes.ts';
import { aReceiver } from '../support/receiver.ts';
import { aSvixServer } from '../support/svix-server.ts';
import { aNamespace } from '../support/temporal.ts';
import { happened } from '../support/webhooks.ts';
import { at, create, hook, list } from '../api/webhooks/webhook-calls.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Crashed or down     | When                                      | Then                                                      |
 * |---------------------|-------------------------------------------|-----------------------------------------------------------|
 * | Svix                | as the key is enabled, and for a while    | the call responds at once; the job waits; one application |
 * | worker              | before it has begun                       | the next worker's sweep starts the job                    |
 * | worker              | waiting for Svix                          | another worker retries; one application                   |
 */

const svix = await aSvixServer();
const receiver = await aReceiver();
const installed = async (environment: Readonly<Record<string, string>>): Promise<Installation> =>
  anInstallation({ temporal: { ...(await aNamespace()), ...environment } });
const [ownEngine, bySvix] = await Promise.all([installed({}), installed(svix.environment)]);
afterAll(async () => {
  await Promise.all([ownEngine.close(), bySvix.close()]);
  await Promise.all([svix.close(), receiver.close()]);
});

const enable = async (tenant: TestTenant, isEnabled = true): Promise<unknown> =>
  (await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled })).data;

interface Job {
  readonly kind: string;
  readonly status: string;
  readonly error: string | null;
  readonly workflowId: string;
  readonly jobId: string;
}

const jobsOf = async (tenant: TestTenant): Promise<Job[]> =>
  (await tenant.ok<Job[]>('/v2/jobs/list', { kind: 'webhook-provisioning' })).data;

const completed = async (tenant: TestTenant): Promise<Job> =>
  eventually(async () => {
    const [job] = await jobsOf(tenant);
    if (job?.status !== 'completed') throw new Error(JSON.stringify(job));
    return job;
  });

describe('the first enabling of advanced webhooks', () => {
  it('starts a job that completes without delaying endpoint calls', async () => {
    const tenant = await aTenant(ownEngine.api);
    await enable(tenant);
    expect(await jobsOf(tenant)).toMatchObject([{ kind: 'webhook-provisioning', status: 'pending' }]);
    expect(await create(tenant)).toMatchObject({ url: hook });
    await ownEngine.startWorker();
    const job = await completed(tenant);
    expect(job).toMatchObject({ error: null, workflowId: `webhook-provisioning/${job.jobId}` });
  });

  it('converges to the last state after enabling, disabling and enabling again, with one job', async () => {
    const tenant = await aTenant(ownEngine.api);
    await enable(tenant);
    await enable(tenant, false);
    await enable(tenant);
    await completed(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
    const { data } = await tenant.ok('/v2/workspace/advancedwebhookconfig/get');
    expect(data).toMatchObject({ isEnabled: true });
    expect((await list(tenant)).endpoints).toEqual([]);
    await enable(tenant, false);
    expect(await tenant.refused(at('endpoints/get'))).toMatchObject({ status: 'FAILED_PRECONDITION' });
    await enable(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
  });
});

describe('enabling while Svix serves the webhooks', () => {
  it('creates one application when the worker is killed while it waits for Svix', async () => {
    const worker = await bySvix.startWorker();
    const tenant = await aTenant(bySvix.api);
    svix.hang(true);
    await enable(tenant);
    await eventually(() => svix.calls.length > 0);
    await killed(worker);
    svix.hang(false);
    await bySvix.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
    await completed(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
    expect(svix.applications.size).toBe(1);
    expect(await create(tenant)).toMatchObject({ url: hook });
  });

  it('responds at once during an outage of Svix, and sends every event once after it', async () => {
    const tenant = await aTenant(bySvix.api);
    const happens = async (type: string) => happened(bySvix.api, tenant, [{ type }]);
    svix.failWith(500);
    const callsBefore = svix.calls.length;
    const began = performance.now();
    expect(await enable(tenant)).toMatchObject({ isEnabled: true });
    expect(performance.now() - began).toBeLessThan(20_000);
    await happens('before.the.application');
    await eventually(() => svix.calls.length > callsBefore + 1);
    expect((await jobsOf(tenant))[0]).toMatchObject({ status: 'in_progress', error: null });
    const refusal = await tenant.refused(at('endpoints/create'), { url: hook });
    expect(refusal).toMatchObject({ status: 'UNAVAILABLE' });
    svix.failWith(undefined);
    await completed(tenant);
    expect(await create(tenant)).toMatchObject({ url: hook });
    await happens('after.the.outage');
    const messages = () => [...svix.applications.values()].flatMap((application) => application.messages);
    await eventually(() => messages().length >= 2);
    expect(
      messages()
        .map(({ eventType }) => eventType)
        .toSorted(),
    ).toEqual(['after.the.outage', 'before.the.application']);
    for (const { eventId, payload } of messages()) {
      expect(eventId).toMatch(/^evt_/);
      expect(payload).toMatchObject({ webhookId: eventId, version: 1, data: expect.any(Object) });
      expect(payload).not.toHaveProperty('sequence');
    }
  });

  it('keeps the basic webhook with Steward itself', async () => {
    const tenant = await aTenant(bySvix.api);
    await tenant.ok('/v2/workspace/webhookconfig/update', {
      useWebhookService: true,
      webhookServiceConfig: { authToken: 'dG9rZW4=', processedNotificationUrl: receiver.url },
    });
    await happened(bySvix.api, tenant, [{ type: 'comment.add' }, { type: 'not.a.trigger' }]);
    await eventually(() => receiver.delivered.length > 0);
    expect(receiver.delivered).toMatchObject([
      { headers: { authorization: 'Basic dG9rZW4=' }, body: { event: 'comment.add', sequence: 1 } },
    ]);
  });
});
