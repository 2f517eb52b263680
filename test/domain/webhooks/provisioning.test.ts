import { afterAll, describe, expect, it } from '@jest/globals';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../../activities/index.ts';
import type { Dependencies } from '../../../activities/dependencies.ts';
import { findJob } from '../../../domain/jobs/find-job.ts';
import { beginJob } from '../../../domain/jobs/job-steps.ts';
import { findUnguardedHost } from '../../../domain/webhooks/provisioning/outbound-guard.ts';
import {
  failProvisioning,
  makeApplication,
  openApplication,
} from '../../../domain/webhooks/provisioning/application.ts';
import { svixProvider } from '../../../domain/webhooks/svix/svix-provider.ts';
import { KeyRing } from '../../../platform/encryption/key-ring.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { startTestApi } from '../../support/api.ts';
import { activityDependencies } from '../../support/dependencies.ts';
import type { TestTenant } from '../../support/factories.ts';
import { aListeningTenant, anEndpoint } from '../../support/webhooks.ts';

const api = await startTestApi();
afterAll(api.close);

const enable = '/v2/workspace/advancedwebhookconfig/update';

const jobsOf = async (tenant: TestTenant) =>
  (await tenant.ok<{ jobId: string; status: string; error: string | null }[]>('/v2/jobs/list')).data;

async function takenJob(tenant: TestTenant) {
  const [newest] = await jobsOf(tenant);
  const em = api.orm.em.fork();
  await beginJob(api.orm, newest?.jobId ?? '');
  const job = await findJob(em, newest?.jobId ?? '');
  if (job === null) throw new Error('There is no job.');
  return { em, job };
}

const embedded = { keyRing: api.keyRing, webhooks: { name: 'embedded' as const } };
const within = () => AbortSignal.timeout(60_000);

describe('the outbound guard test', () => {
  it('finds no unguarded host with any networks that the operator allows', async () => {
    expect(await findUnguardedHost([])).toBeUndefined();
    expect(await findUnguardedHost(['127.0.0.0/8', '::1/128', '10.0.0.0/8'])).toBeUndefined();
    expect(await findUnguardedHost(['0.0.0.0/0', '::/0'])).toBeUndefined();
  });
});

describe('the application of an API key', () => {
  it('is requested once, and again only after a failure', async () => {
    const tenant = await aListeningTenant(api);
    await tenant.ok(enable, { isEnabled: true });
    const { job } = await takenJob(tenant);
    await tenant.ok(enable, { isEnabled: true });
    expect(await jobsOf(tenant)).toHaveLength(1);
    await failProvisioning(api.orm, job.publicId, 'The SSRF guard failed its self-test.');
    expect(await jobsOf(tenant)).toMatchObject([
      { status: 'failed', error: 'The SSRF guard failed its self-test.' },
    ]);
    await tenant.ok(enable, { encodeData: true });
    expect(await jobsOf(tenant)).toHaveLength(2);
    const second = await takenJob(tenant);
    await openApplication(api.orm, second.job);
    await tenant.ok(enable, { isEnabled: false });
    await tenant.ok(enable, { isEnabled: true });
    expect((await jobsOf(tenant)).map(({ status }) => status)).toEqual(['completed', 'failed']);
  });

  it('is requested again after a switch of the provider, which restarts the failing time of endpoints', async () => {
    const tenant = await aListeningTenant(api);
    const { job } = await takenJob(tenant);
    await openApplication(api.orm, job);
    const endpoint = await anEndpoint(api, tenant, 'https://hooks.example.com');
    const failing = async () =>
      api.database.sql('select 1 from webhook_endpoint where public_id = $1 and failing_since is not null', [
        endpoint,
      ]);
    await api.database.sql('update webhook_endpoint set failing_since = now() where public_id = $1', [
      endpoint,
    ]);
    await tenant.ok(enable, { isEnabled: true });
    expect(await failing()).toHaveLength(1);
    await api.database.sql(`update webhook_application set provider = 'svix' where api_key_id = $1`, [
      tenant.id,
    ]);
    await tenant.ok(enable, { isEnabled: true });
    expect(await failing()).toEqual([]);
    expect(await jobsOf(tenant)).toHaveLength(2);
  });

  it('is not requested by a change while advanced webhooks are off', async () => {
    const tenant = await aListeningTenant(api);
    const { job } = await takenJob(tenant);
    await failProvisioning(api.orm, job.publicId, 'x');
    await tenant.ok(enable, { isEnabled: false });
    await tenant.ok(enable, { encodeData: true });
    expect(await jobsOf(tenant)).toHaveLength(1);
  });

  it('is not created by a worker that cannot, whose failure and log name the reason', async () => {
    const tenant = await aListeningTenant(api);
    const endpoint = await anEndpoint(api, tenant, 'https://hooks.example.com');
    const { em, job } = await takenJob(tenant);
    await makeApplication(em, embedded, job, within());
    const log: string[] = [];
    const logger = createLogger({ level: 'warn', format: 'json', name: 'worker' }, (line) => log.push(line));
    const failsAt = async (others: Partial<Dependencies>, type: string, message: string) => {
      const { makeWebhookApplication } = createActivities(
        activityDependencies(api, api.orm, { logger, ...others }),
      );
      const made = new MockActivityEnvironment().run(makeWebhookApplication, { jobId: job.publicId });
      await expect(made).rejects.toMatchObject({ type, message });
      expect(JSON.parse(log.at(-1) ?? '')).toMatchObject({ jobId: job.publicId, reason: message });
    };
    const keyRing = new KeyRing([{ id: 'tests', key: Buffer.alloc(32, 'x') }]);
    const sealed = `The worker's encryption keys cannot decrypt the secret of the webhook endpoint ${endpoint}.`;
    await failsAt({ keyRing }, 'CONFIGURATION', sealed);
    const webhooks = svixProvider({ token: 'testsk', serverUrl: 'http://127.0.0.1:1' });
    const other = 'The application is for the webhook provider embedded, and the worker has svix.';
    await failsAt({ webhooks }, 'CONFIGURATION', other);
    await api.database.sql(`update webhook_application set provider = 'svix' where api_key_id = $1`, [
      tenant.id,
    ]);
    const away = 'The webhook provider svix failed to create the application: Svix did not respond.';
    await failsAt({ webhooks }, 'PROVIDER', away);
  });

  it('is created and opened idempotently', async () => {
    const tenant = await aListeningTenant(api);
    const { em, job } = await takenJob(tenant);
    for (let time = 0; time < 2; time += 1) {
      await makeApplication(em, embedded, job, within());
      await openApplication(api.orm, job);
    }
    expect(await jobsOf(tenant)).toMatchObject([{ status: 'completed', error: null }]);
  });
});
