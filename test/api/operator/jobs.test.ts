import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../../support/api.ts';
import {
  aDocument,
  anOperator,
  aTenant,
  aWorkspace,
  freshId,
  type TestTenant,
} from '../../support/factories.ts';
import { explain, statementsOf } from '../../support/statements.ts';

/* Temporal is not available, so jobs stay pending. */
const api = await startTestApi();
afterAll(api.close);
const operator = anOperator(api);

interface Job {
  readonly jobId: string;
  readonly keyId: string;
  readonly status: string;
  readonly error: string | null;
}

async function aMigration(tenant: TestTenant): Promise<string> {
  const { data } = await tenant.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...(await aDocument(tenant)),
    newDocumentId: freshId('moved'),
  });
  return data.migrationId;
}

async function aCascade(tenant: TestTenant): Promise<string> {
  const { organizationId, documentId } = await aDocument(tenant);
  const deletion = { organizationId, documentIds: [documentId] };
  return (await tenant.ok('/v2/organizations/documents/delete', deletion)).jobId ?? '';
}

async function aDeletion(tenant: TestTenant): Promise<string> {
  const request = { userIds: [freshId('user')] };
  return (await tenant.ok<{ jobId: string }>('/v2/users/data/delete', request)).data.jobId;
}

async function aProvisioning(tenant: TestTenant): Promise<string> {
  await tenant.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  const { data } = await tenant.ok<Job[]>('/v2/jobs/list', { kind: 'webhook-provisioning' });
  return data[0]?.jobId ?? '';
}

async function listed(filter: object): Promise<string[]> {
  const found: string[] = [];
  let pageToken: string | undefined;
  do {
    const page: { data: Job[]; nextPageToken?: string } = await operator.ok<Job[]>('/v2/operator/jobs/list', {
      ...filter,
      pageSize: 2,
      ...(pageToken !== undefined && { pageToken }),
    });
    found.push(...page.data.map(({ jobId }) => jobId));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return found;
}

const failed = async (jobId: string): Promise<unknown> =>
  api.database.sql(`update job set status = 3, error = 'test', ended_at = now() where public_id = $1`, [
    jobId,
  ]);

describe('operator/jobs', () => {
  it('lists jobs of every key, newest first, filtered by key, kind, status and age', async () => {
    const [one, two] = [await aTenant(api), await aTenant(api)];
    const jobs = [await aMigration(one), await aCascade(two), await aMigration(two), await aCascade(one)];
    const [first = '', second = '', third = '', fourth = ''] = jobs;
    await failed(second);
    await api.database.sql(`update job set created_at = now() - interval '1 day' where public_id = any($1)`, [
      [first, second],
    ]);
    expect((await listed({})).slice(0, 4)).toEqual(jobs.toReversed());
    expect(await listed({ keyId: two.keyId })).toEqual([third, second]);
    expect(await listed({ keyId: two.keyId, kind: 'cascade' })).toEqual([second]);
    expect((await listed({ kind: 'document-migration' })).slice(0, 2)).toEqual([third, first]);
    expect((await listed({ status: 'failed' }))[0]).toBe(second);
    expect((await listed({ status: 'pending', kind: 'cascade' }))[0]).toBe(fourth);
    const createdBefore = Date.now() - 3_600_000;
    expect((await listed({ createdBefore })).slice(0, 2)).toEqual([second, first]);
    expect(await listed({ createdBefore, status: 'pending', keyId: one.keyId })).toEqual([first]);
    const { data } = await operator.ok<Job>('/v2/operator/jobs/get', { jobId: first });
    expect(data).toMatchObject({ jobId: first, keyId: one.keyId, status: 'pending' });
  });

  it('reads lists by an index with any filter', async () => {
    const { keyId } = await aTenant(api);
    const sent = await statementsOf(async () => {
      for (const filter of [{}, { status: 'failed' }, { kind: 'cascade' }, { createdBefore: 1 }, { keyId }])
        await listed(filter);
    });
    const texts = new Set(sent.map(({ text }) => text).filter((text) => text.includes('examined')));
    expect(texts.size).toBe(5);
    for (const text of texts) {
      const { indexes } = await explain(api.database, { text });
      expect(indexes.filter((index) => index.startsWith('job')).length).toBeGreaterThan(0);
    }
  });

  it('cancels jobs by the rules of their kind, and has no further effect when repeated', async () => {
    const tenant = await aTenant(api);
    for (const jobId of [await aMigration(tenant), await aDeletion(tenant)]) {
      const { message, data } = await operator.ok<Job>('/v2/operator/jobs/cancel', { jobId });
      expect(message).toBe('Job cancelled successfully.');
      expect(data).toMatchObject({ jobId, status: 'failed', error: 'cancelled' });
      expect((await operator.ok<Job>('/v2/operator/jobs/cancel', { jobId })).data).toEqual(data);
    }
    const cascade = await aCascade(tenant);
    expect(await operator.refused('/v2/operator/jobs/cancel', { jobId: cascade })).toMatchObject({
      status: 'FAILED_PRECONDITION',
    });
  });

  it('reopens a failed provisioning, and refuses kinds whose failed jobs are final', async () => {
    const tenant = await aTenant(api);
    const provisioning = await aProvisioning(tenant);
    await failed(provisioning);
    const retried = await operator.ok<Job>('/v2/operator/jobs/retry', { jobId: provisioning });
    expect(retried.data).toMatchObject({ status: 'pending', error: null, completedAt: null });
    expect((await operator.ok<Job>('/v2/operator/jobs/retry', { jobId: provisioning })).data).toEqual(
      retried.data,
    );
    await failed(provisioning);
    await api.database.sql('update webhook_application set job_id = -1 where api_key_id = $1', [tenant.id]);
    const refusals = {
      [provisioning]: 'A later job has replaced this one.',
      [await aMigration(tenant)]: 'A failed migration has changed nothing',
      [await aDeletion(tenant)]: 'A canceled deletion has ended with its receipt.',
      [await aCascade(tenant)]: 'A failed job of this kind cannot be retried.',
    };
    for (const [jobId, message] of Object.entries(refusals)) {
      await failed(jobId);
      expect(await operator.refused('/v2/operator/jobs/retry', { jobId })).toMatchObject({
        status: 'FAILED_PRECONDITION',
        message: expect.stringContaining(message),
      });
    }
  });

  it('makes an open job due for the sweep on retry without another change, and refuses a completed one', async () => {
    const tenant = await aTenant(api);
    const jobId = await aCascade(tenant);
    await api.database.sql(
      `update job set status = 1, started_at = now(), next_sweep_at = now() + interval '1 hour' where public_id = $1`,
      [jobId],
    );
    const { data: before } = await operator.ok<Job>('/v2/operator/jobs/get', { jobId });
    expect((await operator.ok<Job>('/v2/operator/jobs/retry', { jobId })).data).toEqual(before);
    expect(before).toMatchObject({ status: 'in_progress' });
    expect(
      await api.database.sql('select next_sweep_at <= now() as due from job where public_id = $1', [jobId]),
    ).toEqual([{ due: true }]);
    await api.database.sql('update job set status = 2, ended_at = now() where public_id = $1', [jobId]);
    expect(await operator.refused('/v2/operator/jobs/retry', { jobId })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'The job has completed.',
    });
  });

  it.each(['keys/disable', 'workspaces/disable'])(
    'refuses to start a job that waits since %s, with the id of its key',
    async (disable) => {
      const workspace = await aWorkspace(api);
      const tenant = await aTenant(api, { workspace });
      const { workspaceId } = workspace;
      const { keyId } = tenant;
      const jobs = [await aCascade(tenant), await aProvisioning(tenant)];
      await failed(jobs[1] ?? '');
      await operator.ok(`/v2/operator/${disable}`, disable === 'keys/disable' ? { keyId } : { workspaceId });
      for (const jobId of jobs) {
        const { data: before } = await operator.ok<Job>('/v2/operator/jobs/get', { jobId });
        expect(await operator.refused('/v2/operator/jobs/retry', { jobId })).toMatchObject({
          status: 'FAILED_PRECONDITION',
          message: expect.stringContaining(`The API key ${keyId} or its workspace is disabled.`),
        });
        expect((await operator.ok<Job>('/v2/operator/jobs/get', { jobId })).data).toEqual(before);
      }
      // Runs also for a disabled key.
      await api.database.sql(`update job set request = '{"replayed": true}' where public_id = $1`, [jobs[0]]);
      await operator.ok('/v2/operator/jobs/retry', { jobId: jobs[0] });
    },
  );

  it('returns NOT_FOUND for an unknown job or key', async () => {
    for (const verb of ['get', 'retry', 'cancel']) {
      const { status } = await operator.refused(`/v2/operator/jobs/${verb}`, { jobId: 'job_missing' });
      expect(status).toBe('NOT_FOUND');
    }
    const { status } = await operator.refused('/v2/operator/jobs/list', { keyId: 'akid_missing' });
    expect(status).toBe('NOT_FOUND');
  });
});
