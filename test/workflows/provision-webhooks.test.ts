import { afterAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../support/eventually.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { killed } from '../support/processes.ts';
import { aSvixServer, type SvixServer } from '../support/svix-server.ts';
import { aNamespace } from '../support/temporal.ts';
import { at, create, hook, list } from '../api/webhooks/webhook-calls.ts';
import { anInstallation, type Installation } from './migrations.ts';

/*
 * | Dies, or is away    | At                                        | Then                                                      |
 * |---------------------|-------------------------------------------|-----------------------------------------------------------|
 * | Svix                | as the key is enabled, and for a while    | the call answers at once; the job waits; one application  |
 * | worker              | before it has begun                       | the next worker's sweep starts the job                    |
 * | worker              | waiting for Svix                          | another worker asks again; one application                |
 */

const installations: Installation[] = [];
const servers: SvixServer[] = [];
afterAll(async () => {
  await Promise.all(installations.map((installation) => installation.close()));
  await Promise.all(servers.map((server) => server.close()));
});

async function installed(environment: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const installation = await anInstallation({ temporal: { ...(await aNamespace()), ...environment } });
  installations.push(installation);
  return installation;
}

async function installedWithSvix(): Promise<{ installation: Installation; svix: SvixServer }> {
  const svix = await aSvixServer();
  servers.push(svix);
  return { svix, installation: await installed(svix.environment) };
}

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
  eventually(
    async () => {
      const [job] = await jobsOf(tenant);
      if (job?.status !== 'completed') throw new Error(JSON.stringify(job));
      return job;
    },
    { within: 60_000 },
  );

describe('the first enabling of advanced webhooks', () => {
  it('is a job that completes, and endpoint calls do not wait for it', async () => {
    const installation = await installed();
    const tenant = await aTenant(installation.api);
    await enable(tenant);
    expect(await jobsOf(tenant)).toMatchObject([{ kind: 'webhook-provisioning', status: 'pending' }]);
    expect(await create(tenant)).toMatchObject({ url: hook });
    await installation.startWorker();
    const job = await completed(tenant);
    expect(job).toMatchObject({ error: null, workflowId: `webhook-provisioning/${job.jobId}` });
  });

  it('converges to the last of enabling, disabling and enabling again, with one job', async () => {
    const installation = await installed();
    await installation.startWorker();
    const tenant = await aTenant(installation.api);
    await enable(tenant);
    await enable(tenant, false);
    await enable(tenant);
    await completed(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
    expect((await tenant.ok('/v2/workspace/advancedwebhookconfig/get')).data).toMatchObject({
      isEnabled: true,
    });
    expect((await list(tenant)).endpoints).toEqual([]);
    await enable(tenant, false);
    expect(await tenant.refused(at('endpoints/get'))).toMatchObject({ status: 'FAILED_PRECONDITION' });
    await enable(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
  });
});

describe('enabling while Svix serves the webhooks', () => {
  it('answers at once while Svix is away, and completes once it is back', async () => {
    const { installation, svix } = await installedWithSvix();
    await installation.startWorker();
    const tenant = await aTenant(installation.api);
    svix.failWith(500);
    const began = performance.now();
    expect(await enable(tenant)).toMatchObject({ isEnabled: true });
    expect(performance.now() - began).toBeLessThan(2_000);
    await eventually(() => svix.calls.length > 1, { within: 30_000 });
    expect((await jobsOf(tenant))[0]).toMatchObject({ status: 'in_progress', error: null });
    expect(await tenant.refused(at('endpoints/create'), { url: hook })).toMatchObject({
      status: 'UNAVAILABLE',
    });
    svix.failWith(undefined);
    await completed(tenant);
    expect(svix.applications.size).toBe(1);
    expect(await create(tenant)).toMatchObject({ url: hook });
  });

  it('makes one application though the worker is killed while it waits for Svix', async () => {
    const { installation, svix } = await installedWithSvix();
    const worker = await installation.startWorker();
    const tenant = await aTenant(installation.api);
    svix.hang(true);
    await enable(tenant);
    await eventually(() => svix.calls.length > 0, { within: 30_000 });
    await killed(worker);
    svix.hang(false);
    await installation.startWorker();
    await completed(tenant);
    expect(await jobsOf(tenant)).toHaveLength(1);
    expect(svix.applications.size).toBe(1);
    expect(await create(tenant)).toMatchObject({ url: hook });
  });
});
