import { afterAll, describe, expect, it } from '@jest/globals';
import { ApplicationFailureCategory } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { createActivities } from '../../activities/index.ts';
import { RestoreGate } from '../../domain/deletion-replay/restore-gate.ts';
import { beginJob } from '../../domain/jobs/job-steps.ts';
import { PermissionProvider } from '../../domain/permissions/provider/permission-provider.ts';
import { startTestApi } from '../support/api.ts';
import { activityDependencies } from '../support/dependencies.ts';
import { aDocument, aTenant, freshId } from '../support/factories.ts';
import { aProvider, saying, type TestProvider } from '../support/provider.ts';

const networks = '127.0.0.0/8';
const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: networks } });
afterAll(api.close);
const providers: TestProvider[] = [];
afterAll(async () => Promise.all(providers.map(async (provider) => provider.close())));

/** A key whose permission provider allows everyone once `ready` has resolved, and its jobs that notify of comments. */
async function aKeyWithJobs(count: number, ready: Promise<void> = Promise.resolve()) {
  const tenant = await aTenant(api);
  const provider = await aProvider();
  providers.push(provider);
  const asked = Promise.withResolvers<void>();
  provider.behave(async (received, response) => {
    asked.resolve();
    await ready;
    await saying({ hasAccess: true })(received, response);
  });
  await tenant.ok('/v2/workspace/notificationconfig/update', { useNotificationService: true });
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: provider.url },
  });
  const location = await aDocument(tenant);
  await tenant.ok('/v2/users/add', { ...location, users: [{ userId: 'cid' }] });
  await tenant.ok('/v2/commentannotations/add', {
    ...location,
    commentAnnotations: [{ annotationId: 't', commentData: [{ from: { userId: 'ada' } }] }],
  });
  const jobs: string[] = [];
  for (let nth = 0; nth < count; nth += 1) {
    const { jobId = '' } = await tenant.ok('/v2/commentannotations/comments/add', {
      ...location,
      annotationId: 't',
      commentData: [
        {
          from: { userId: 'ben' },
          commentText: 'Hello {{dan}}',
          taggedUserContacts: [{ userId: 'dan' }],
          triggerNotification: true,
        },
      ],
    });
    await beginJob(api.orm, jobId);
    jobs.push(jobId);
  }
  return { tenant, jobs, asked: asked.promise, received: provider.received };
}

const dependencies = () =>
  activityDependencies(api, api.orm, {
    permissionProvider: new PermissionProvider({
      orm: api.orm,
      keyRing: api.keyRing,
      allowedNetworks: [networks],
    }),
    databaseSlots: 4,
  });

/** As a worker runs it, with its translated errors. */
const workOnJob = (of: ReturnType<typeof dependencies>) => createActivities(of).workOnJob;

const turn = async (activity: ReturnType<typeof workOnJob>, jobId = '') =>
  new MockActivityEnvironment().run(activity, { jobId });

/** Ids of the users with an inbox entry. */
const recipientsOf = async (tenantId: string): Promise<string[]> =>
  (
    await api.database.sql<{ ext_id: string }>(
      `select u.ext_id from notification_recipient r join app_user u on u.id = r.user_id
       where r.api_key_id = $1 order by u.ext_id`,
      [tenantId],
    )
  ).map(({ ext_id }) => ext_id);

describe('a job that asks a permission provider', () => {
  it('sends heartbeats while the provider decides, so that no other attempt begins', async () => {
    const beaten = Promise.withResolvers<void>();
    const { tenant, jobs } = await aKeyWithJobs(1, beaten.promise);
    const environment = new MockActivityEnvironment();
    environment.on('heartbeat', beaten.resolve);
    expect(await environment.run(workOnJob(dependencies()), { jobId: jobs[0] ?? '' })).toEqual({
      finished: true,
    });
    expect(await recipientsOf(tenant.id)).toEqual(['ada', 'cid', 'dan']);
  });

  it('is retried while its key takes a quarter of the slots, and other keys proceed', async () => {
    const released = Promise.withResolvers<void>();
    const slow = await aKeyWithJobs(2, released.promise);
    const other = await aKeyWithJobs(1);
    const activity = workOnJob(dependencies());
    const first = turn(activity, slow.jobs[0]);
    await slow.asked;
    await expect(turn(activity, slow.jobs[1])).rejects.toMatchObject({
      type: 'PROVIDER_BUSY',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
    });
    expect(await turn(activity, other.jobs[0])).toEqual({ finished: true });
    expect(await recipientsOf(other.tenant.id)).toEqual(['ada', 'cid', 'dan']);
    released.resolve();
    expect(await first).toEqual({ finished: true });
    expect(await turn(activity, slow.jobs[1])).toEqual({ finished: true });
    expect(await recipientsOf(slow.tenant.id)).toEqual(['ada', 'ada', 'cid', 'cid', 'dan', 'dan']);
  });

  it('is retried while all keys take half of the slots', async () => {
    const released = Promise.withResolvers<void>();
    const keys = [await aKeyWithJobs(1, released.promise), await aKeyWithJobs(1, released.promise)];
    const further = await aKeyWithJobs(1);
    const activity = workOnJob(dependencies());
    const turns = keys.map(async ({ jobs }) => turn(activity, jobs[0]));
    await Promise.all(keys.map(async ({ asked }) => asked));
    await expect(turn(activity, further.jobs[0])).rejects.toMatchObject({ type: 'PROVIDER_BUSY' });
    released.resolve();
    expect(await Promise.all(turns)).toEqual([{ finished: true }, { finished: true }]);
    expect(await turn(activity, further.jobs[0])).toEqual({ finished: true });
  });

  it('is retried when the worker stops before the provider decides', async () => {
    const released = Promise.withResolvers<void>();
    const { tenant, jobs, asked } = await aKeyWithJobs(1, released.promise);
    const stopping = new AbortController();
    const first = turn(workOnJob({ ...dependencies(), stopping: () => stopping.signal }), jobs[0]);
    await asked;
    stopping.abort();
    await expect(first).rejects.toMatchObject({ type: 'PROVIDER_BUSY' });
    released.resolve();
    expect(await turn(workOnJob(dependencies()), jobs[0])).toEqual({ finished: true });
    expect(await recipientsOf(tenant.id)).toEqual(['ada', 'cid', 'dan']);
  });

  it('is retried without a call of the provider until the deletions that run again after a restore have ended', async () => {
    const { tenant, jobs, received } = await aKeyWithJobs(1);
    const gate = new RestoreGate(true);
    gate.change('replaying');
    const activity = workOnJob({ ...dependencies(), gate });
    await expect(turn(activity, jobs[0])).rejects.toMatchObject({
      type: 'PROVIDER_BUSY',
      category: ApplicationFailureCategory.BENIGN,
      nonRetryable: false,
    });
    expect(received).toEqual([]);
    expect(await recipientsOf(tenant.id)).toEqual([]);
    gate.change('current');
    expect(await turn(activity, jobs[0])).toEqual({ finished: true });
    expect(await recipientsOf(tenant.id)).toEqual(['ada', 'cid', 'dan']);
  });

  it('writes nothing and is retried while a user whom only the text names is being deleted', async () => {
    const { tenant, jobs } = await aKeyWithJobs(1);
    const [deletion] = await api.database.sql<{ id: string }>(
      `with j as (insert into job (api_key_id, public_id, kind, status) values ($1, $2, 4, 1) returning id)
       insert into user_deletion (job_id, user_id, user_ext_id, api_key_id, fenced_at)
       select j.id, u.id, u.ext_id, $1, now() from j, app_user u where u.api_key_id = $1 and u.ext_id = 'dan'
       returning job_id as id`,
      [tenant.id, freshId('deletion')],
    );
    const activity = workOnJob(dependencies());
    await expect(turn(activity, jobs[0])).rejects.toMatchObject({
      type: 'FAILED_PRECONDITION',
      nonRetryable: false,
    });
    // The call itself has notified ada.
    expect(await recipientsOf(tenant.id)).toEqual(['ada']);
    await api.database.sql('update user_deletion set ended_at = now() where job_id = $1', [deletion?.id]);
    expect(await turn(activity, jobs[0])).toEqual({ finished: true });
  });
});
