import { tmpdir } from 'node:os';
import { afterAll, describe, expect, it } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { cascadeKind, deletionKind, keyDeletionKind, type JobKind } from '../../domain/jobs/job-kinds.ts';
import { workflowBundle } from '../../worker/workflow-bundle.ts';
import { workflowIdOf } from '../../workflows/contract.ts';
import { startTestApi } from '../support/api.ts';
import { aDatabase } from '../support/database.ts';
import { endCallsOfDeletedKeys } from '../support/deleted-keys.ts';
import { eventually } from '../support/eventually.ts';
import { aTenantByCalls, freshId, type TestTenant } from '../support/factories.ts';
import { startProcess, type TestProcess } from '../support/processes.ts';
import { aRelease } from '../support/release.ts';
import { aNamespace } from '../support/temporal.ts';
import { aWorld } from '../support/world.ts';
import { deleteData, deletionOf, endedDeletion, rowsWith } from '../workflows/deletions.ts';
import { ended, migrate } from '../workflows/migrations.ts';
import { release020 } from './releases.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const earlier = await aRelease(release020);
closing.push(() => earlier.remove());
const database = await aDatabase();
closing.push(database.drop);
const namespace = await aNamespace();
const environment = { ...namespace, DATABASE_POOL_SIZE: '5' };
await workflowBundle(tmpdir());
const api = await startTestApi({ database, environment });
closing.push(() => api.close());
const connection = await Connection.connect({ address: namespace.TEMPORAL_ADDRESS });
closing.push(() => connection.close());
const { workflow } = new TemporalClient({ connection, namespace: namespace.TEMPORAL_NAMESPACE });

const workers = {
  earlier: async () => earlier.start('worker', database.url, environment),
  now: async () => startProcess('worker', database.url, environment),
};

async function withWorker<Result>(
  release: keyof typeof workers,
  act: (worker: TestProcess) => Promise<Result>,
): Promise<Result> {
  const worker = await workers[release]();
  try {
    return await act(worker);
  } finally {
    await worker.kill();
  }
}

/** Waits until a step of a deletion has failed at the worker that runs. Returns the name of the step. */
const failedStep = async (jobId: string): Promise<string> =>
  eventually(async () => {
    const { raw } = await workflow.getHandle(workflowIdOf({ kind: deletionKind.name, jobId })).describe();
    const failed = raw.pendingActivities?.find(({ lastFailure }) => lastFailure);
    return failed?.activityType?.name ?? false;
  });

/** A tenant with records of every kind, written by the API of the present release. */
async function aPresentWorld() {
  const { tenant, ids } = await aWorld(api, aTenantByCalls);
  const [organizationId = '', documentId = '', userId = ''] = [
    ids.organization[0],
    ids.document[0],
    ids.user[0],
  ];
  // A recording of a colleague that names the user. Its only index is one that 0.2.0 knows.
  await tenant.ok('/v2/recordings/add', {
    organizationId,
    documentId,
    recordings: [
      {
        from: { userId: 'colleague', name: 'Grace' },
        recordingType: 'audio',
        context: { to: { userId, name: 'Ada', email: 'ada@example.com' } },
      },
    ],
  });
  return { tenant, organizationId, documentId, userId };
}

const jobsOf = async ({ id }: TestTenant, { number }: JobKind) =>
  database.sql<{ status: number; removed: number }>(
    `select status, (progress ->> 'done')::int as removed from job where api_key_id = $1 and kind = $2`,
    [id, number],
  );

/** Waits until the only job of a kind has removed rows. Expects that it has not completed. */
const begun = async (tenant: TestTenant, kind: JobKind) => {
  await eventually(async () => ((await jobsOf(tenant, kind))[0]?.removed ?? 0) > 0);
  expect(await jobsOf(tenant, kind)).toMatchObject([{ status: 1 }]);
};

/** Waits until the only job of a kind has completed. */
const completed = async (tenant: TestTenant, kind: JobKind) =>
  eventually(async () => expect((await jobsOf(tenant, kind)).map(({ status }) => status)).toEqual([2]));

/** The tables with rows of the tenant. */
const rowsLeft = async ({ id }: TestTenant, tables: readonly string[]) =>
  database.sql(
    tables
      .map((table) => `select '${table}' where exists (select from ${table} where api_key_id = $1)`)
      .join(' union all '),
    [id],
  );

describe('with records that release 0.2.0 does not know', () => {
  it.each([
    ['everywhere', false],
    ['in an organization', true],
  ])('a deletion of user data %s waits for a worker that knows them', async (_, isScoped) => {
    const { tenant, organizationId, userId } = await aPresentWorld();
    const scope = isScoped ? { organizationIds: [organizationId] } : {};
    const jobId = await withWorker('earlier', async () => {
      const requested = await deleteData(tenant, { userIds: [userId], ...scope });
      expect(await failedStep(requested)).toBe('removePersonalData');
      return requested;
    });
    expect(await deletionOf(tenant, jobId)).toMatchObject({ status: 'in_progress', receipt: null });
    await withWorker('now', async () => {
      const { status, verified, counts } = await endedDeletion(tenant, jobId);
      expect([status, verified]).toEqual(['completed', true]);
      expect(counts).toMatchObject({ recordings: 1, comments: 3, commentAnnotations: 1 });
      // A dry run of the world may end later.
      await eventually(async () => {
        const left = await rowsWith(api, tenant, userId);
        expect(left.filter((line) => !(isScoped && line.startsWith('app_user')))).toEqual([]);
      });
    });
  });

  it('a deletion of a document waits for a worker that knows them', async () => {
    const { tenant, organizationId, documentId } = await aPresentWorld();
    const path = '/v2/organizations/documents/delete';
    await withWorker('earlier', async () => {
      await tenant.ok(path, { organizationId, documentIds: [documentId] });
      await begun(tenant, cascadeKind);
    });
    await withWorker('now', async () => completed(tenant, cascadeKind));
    expect(await rowsLeft(tenant, ['thread', 'comment', 'reaction', 'thread_person', 'recording'])).toEqual(
      [],
    );
  });

  it('a deletion of a key waits for a worker that knows them', async () => {
    const { tenant } = await aPresentWorld();
    const [{ apiKeyName } = { apiKeyName: '' }] = (
      await tenant.workspace.ok<{ apiKeyName: string }[]>('/v2/workspace/apikeys/get', {
        apiKeys: [tenant.apiKey],
      })
    ).data;
    await withWorker('earlier', async () => {
      await tenant.workspace.ok('/v2/workspace/apikey/delete', {
        apiKey: tenant.apiKey,
        confirmName: apiKeyName,
      });
      await begun(tenant, keyDeletionKind);
    });
    await endCallsOfDeletedKeys(database);
    await withWorker('now', async () => completed(tenant, keyDeletionKind));
    expect(await rowsLeft(tenant, ['thread', 'comment', 'recording', 'app_user', 'notice'])).toEqual([]);
  });

  it('a worker of 0.2.0 moves a document with them', async () => {
    const { tenant, organizationId, documentId } = await aPresentWorld();
    const newDocumentId = freshId('moved');
    const annotationsOf = async (id: string): Promise<string> => {
      const path = '/v2/commentannotations/get';
      const { data } = await tenant.ok<object[]>(path, { organizationId, documentIds: [id] });
      return JSON.stringify(data);
    };
    const before = await annotationsOf(documentId);
    await withWorker('earlier', async () => {
      const migrationId = await migrate(tenant, { organizationId, documentId }, newDocumentId);
      expect(await ended(tenant, { organizationId }, migrationId)).toMatchObject({ status: 'completed' });
    });
    expect(before).toContain('annotationId');
    expect(await annotationsOf(newDocumentId)).toBe(before.replaceAll(documentId, newDocumentId));
  });
});
