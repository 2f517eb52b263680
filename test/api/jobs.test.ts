import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyDeletionKind } from '../../domain/jobs/job-kinds.ts';
import { jobKindNames } from '../../domain/job-handlers/job-kinds.ts';
import type { TestClient } from '../support/client.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  aDocument,
  anOperator,
  aTenant,
  freshId,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';

interface Job {
  readonly jobId: string;
  readonly kind: string;
  readonly status: string;
  readonly completedAt: number | null;
}

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  // Temporal is down, so jobs stay pending.
  api = await startTestApi({ environment: { TEMPORAL_UI_URL: 'http://temporal.test/' } });
  tenant = await aTenant(api);
});
afterAll(() => api.close());

async function aMigration(document: TestDocument, by: TestClient = tenant): Promise<string> {
  const { data } = await by.ok<{ migrationId: string }>('/v2/organizations/documents/migrate', {
    ...document,
    newDocumentId: freshId('moved'),
  });
  return data.migrationId;
}

async function aCascade(by = tenant): Promise<string> {
  const { organizationId, documentId } = await aDocument(by);
  const { jobId } = await by.ok('/v2/organizations/documents/delete', {
    organizationId,
    documentIds: [documentId],
  });
  return jobId ?? '';
}

describe('jobs/get', () => {
  it('returns every member of a job that was just accepted', async () => {
    const requestId = freshId('request');
    const jobId = await aMigration(await aDocument(tenant), tenant.with({ 'x-request-id': requestId }));
    const { message, data } = await tenant.ok('/v2/jobs/get', { jobId });
    expect(message).toBe('Job retrieved successfully.');
    expect(data).toEqual({
      jobId,
      kind: 'document-migration',
      status: 'pending',
      progress: { done: 0, total: null },
      error: null,
      createdAt: expect.any(Number),
      startedAt: null,
      completedAt: null,
      late: false,
      requestId,
      workflowId: `document-migration/${jobId}`,
      workflowUrl: `http://temporal.test/namespaces/default/workflows/document-migration%2F${jobId}`,
      pollAfterMs: 250,
    });
  });

  it('returns NOT_FOUND for jobs of other API keys', async () => {
    const stranger = await aTenant(api);
    const jobId = await aMigration(await aDocument(tenant));
    for (const path of ['/v2/jobs/get', '/v2/jobs/cancel']) {
      expect(await stranger.refused(path, { jobId })).toMatchObject({
        status: 'NOT_FOUND',
        message: 'Job not found.',
      });
    }
    expect((await stranger.ok('/v2/jobs/list')).data).toEqual([]);
  });
});

describe('jobs/list', () => {
  it('returns the id of the request that created each kind of job', async () => {
    const own = await aTenant(api);
    const requestId = freshId('request');
    const document = await aDocument(own);
    const caller = own.with({ 'x-request-id': requestId });
    await caller.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
    await caller.ok('/v2/users/data/delete', { userIds: ['someone'] });
    await caller.ok('/v2/organizations/documents/migrate', { ...document, newDocumentId: freshId('moved') });
    await caller.ok('/v2/organizations/delete', { organizationIds: [document.organizationId] });
    const { data } = await own.ok<{ kind: string; requestId: string }[]>('/v2/jobs/list');
    // The deletion of a key is not visible to the key.
    const visible = jobKindNames.filter((kind) => kind !== keyDeletionKind.name);
    expect(data.map(({ kind }) => kind).sort()).toEqual(visible.sort());
    expect(new Set(data.map((job) => job.requestId))).toEqual(new Set([requestId]));
  });

  it('returns each job once, newest first, filtered by kind and status', async () => {
    const own = await aTenant(api);
    const made: string[] = [];
    for (let number = 0; number < 5; number += 1) {
      made.push(await aMigration(await aDocument(own), own), await aCascade(own));
    }
    await own.ok('/v2/jobs/cancel', { jobId: made[0] });
    const newest = made.toReversed();
    const list = async (filter: object): Promise<string[]> => {
      const found: string[] = [];
      let pageToken: string | undefined;
      do {
        const page: { data: Job[]; nextPageToken?: string } = await own.ok<Job[]>('/v2/jobs/list', {
          ...filter,
          pageSize: 3,
          ...(pageToken !== undefined && { pageToken }),
        });
        expect(page.data.length).toBeLessThanOrEqual(3);
        found.push(...page.data.map(({ jobId }) => jobId));
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      return found;
    };
    expect(await list({})).toEqual(newest);
    const migrations = newest.filter((_, location) => location % 2 === 1);
    expect(await list({ kind: 'document-migration' })).toEqual(migrations);
    expect(await list({ kind: 'document-migration', status: 'pending' })).toEqual(migrations.slice(0, -1));
    expect(await list({ status: 'failed' })).toEqual([made[0]]);
    expect(await list({ status: 'in_progress' })).toEqual([]);
  });

  it('rejects unknown kinds and statuses', async () => {
    expect(await tenant.refused('/v2/jobs/list', { kind: 'x', status: 'running' })).toMatchObject({
      status: 'INVALID_ARGUMENT',
      details: { issues: [{ path: 'data.kind' }, { path: 'data.status' }] },
    });
  });
});

describe('a job of a kind that only a later release knows', () => {
  it('is in no list and has no status, and the other jobs are listed', async () => {
    const own = await aTenant(api);
    const { keyId } = own;
    const operator = anOperator(api);
    const known = [await aCascade(own)];
    const later = await aCascade(own);
    known.unshift(await aCascade(own));
    await api.database.sql('update job set kind = 32000 where public_id = $1', [later]);
    const lists = [
      async (paging: object) => own.ok<Job[]>('/v2/jobs/list', paging),
      async (paging: object) => own.workspace.ok<Job[]>('/v2/workspace/jobs/list', paging),
      async (paging: object) => operator.ok<Job[]>('/v2/operator/jobs/list', { keyId, ...paging }),
    ];
    for (const list of lists) {
      const found: string[] = [];
      let pageToken: string | undefined;
      do {
        const page: { data: Job[]; nextPageToken?: string } = await list({ pageSize: 1, pageToken });
        found.push(...page.data.map(({ jobId }) => jobId));
        pageToken = page.nextPageToken;
      } while (pageToken !== undefined);
      expect(found).toEqual(known);
    }
    const missing = { status: 'NOT_FOUND', message: 'Job not found.' };
    for (const path of ['/v2/jobs/get', '/v2/jobs/cancel'])
      expect(await own.refused(path, { jobId: later })).toMatchObject(missing);
    for (const act of ['get', 'retry', 'cancel'])
      expect(await operator.refused(`/v2/operator/jobs/${act}`, { jobId: later })).toMatchObject(missing);
  });
});

describe('jobs/cancel', () => {
  it('fails a pending migration once and frees both ids', async () => {
    const document = await aDocument(tenant);
    const jobId = await aMigration(document);
    const { message, data } = await tenant.ok<Job>('/v2/jobs/cancel', { jobId });
    expect(message).toBe('Job cancelled successfully.');
    expect(data).toMatchObject({ jobId, status: 'failed', error: 'cancelled', pollAfterMs: 0 });
    expect(data.completedAt).toEqual(expect.any(Number));
    expect(await tenant.refused('/v2/jobs/cancel', { jobId })).toMatchObject({
      status: 'FAILED_PRECONDITION',
      message: 'Job can no longer be cancelled.',
    });
    expect(await aMigration(document)).not.toBe(jobId);
  });

  it('rejects a migration in progress, and every cascade', async () => {
    const migration = await aMigration(await aDocument(tenant));
    await api.database.sql('update job set status = 1 where public_id = $1', [migration]);
    for (const jobId of [migration, await aCascade()]) {
      expect(await tenant.refused('/v2/jobs/cancel', { jobId })).toMatchObject({
        status: 'FAILED_PRECONDITION',
        message: 'Job can no longer be cancelled.',
      });
    }
  });
});
