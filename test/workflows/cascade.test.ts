import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { endCallsOfDeletedKeys } from '../support/deleted-keys.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  aFolder,
  anOperator,
  anOrganization,
  aTenant,
  freshId,
  withActivityLogs,
  type TestTenant,
} from '../support/factories.ts';
import { aReceiver, responding } from '../support/receiver.ts';
import { anEndpoint, happened } from '../support/webhooks.ts';
import { aWorld } from '../support/world.ts';
import { anInstallation, type Installation } from './migrations.ts';

let installation: Installation;
let tenant: TestTenant;

beforeAll(async () => {
  installation = await anInstallation();
  await installation.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
  tenant = await withActivityLogs(await aTenant(installation.api));
});
afterAll(() => installation.close());

interface Job {
  readonly status: string;
  readonly progress: { readonly done: number; readonly total: number | null };
}

async function finished(jobId: string | undefined): Promise<Job> {
  return eventually(async () => {
    const { data } = await tenant.ok<Job>('/v2/jobs/get', { jobId });
    if (data.status !== 'completed') throw new Error(JSON.stringify(data));
    return data;
  });
}

const sql = <Row extends object>(text: string, values: unknown[] = []) =>
  installation.api.database.sql<Row>(text, values);

const surrogate = async (table: string, id: string): Promise<string> =>
  (await sql<{ id: string }>(`select id from ${table} where ext_id = $1`, [id]))[0]?.id ?? '';

/** Returns the number of remaining rows of a table below an organization. */
const left = async (table: string, organization: string): Promise<number> =>
  (await sql(`select 1 from ${table} where org_id = $1`, [organization])).length;

describe('deleting documents', () => {
  it('removes their records and named users, and no rows of other documents', async () => {
    const organizationId = await anOrganization(tenant);
    const gone = await aDocument(tenant, { organizationId });
    const kept = await aDocument(tenant, { organizationId });
    const mentioning = { entityData: { assignee: { userId: freshId('named') } } };
    await addActivityLogs(tenant, gone, activities(1_500, mentioning));
    await addActivityLogs(tenant, kept, activities(3, mentioning));
    const organization = await surrogate('organization', organizationId);
    expect(await left('record_user', organization)).toBe(1_503);
    const { jobId } = await tenant.ok('/v2/organizations/documents/delete', {
      organizationId,
      documentIds: [gone.documentId],
    });
    expect(await finished(jobId)).toMatchObject({ progress: { done: 1_501, total: 1_501 } });
    expect(await left('activity', organization)).toBe(3);
    expect(await left('record_user', organization)).toBe(3);
    expect(await left('document', organization)).toBe(1);
  });

  it('leaves no record of a concurrent writer that commits as late as possible', async () => {
    const document = await aDocument(tenant);
    const organization = await surrogate('organization', document.organizationId);
    const id = await surrogate('document', document.documentId);
    const writer = await installation.api.database.connect();
    await writer.query('begin');
    const deletion = tenant.ok('/v2/organizations/documents/delete', {
      organizationId: document.organizationId,
      documentIds: [document.documentId],
    });
    const { jobId } = await deletion;
    // The latest possible write: its foreign key locks a row that is already a tombstone.
    await writer
      .query(
        `insert into activity (api_key_id, org_id, document_id, ext_id, ts, feature, action_type, actor_id, content_hash, body)
       values ($1, $2, $3, 'late', 1, 5, 'x', 0, '', '{}')`,
        [tenant.id, organization, id],
      )
      .catch(() => undefined);
    await writer.query('commit');
    await writer.end();
    await finished(jobId);
    expect(await left('activity', organization)).toBe(0);
    expect(await left('document', organization)).toBe(0);
  });
});

describe('deleting a folder', () => {
  it('removes its subfolders and their documents, and keeps the others', async () => {
    const top = await aFolder(tenant);
    const { organizationId } = top;
    const below = await aFolder(tenant, { organizationId, parentFolderId: top.folderId });
    const beside = await aFolder(tenant, { organizationId });
    const documents = await Promise.all(
      [top, below, below, beside].map((folder) => aDocument(tenant, { ...folder })),
    );
    for (const document of documents) await addActivityLogs(tenant, document, activities(2));
    const organization = await surrogate('organization', organizationId);
    const { jobId } = await tenant.ok('/v2/organizations/folders/delete', top);
    expect(await finished(jobId)).toMatchObject({ progress: { done: 3 * 2 + 3 + 2 } });
    expect(await left('folder', organization)).toBe(1);
    expect(await left('document', organization)).toBe(1);
    expect(await left('activity', organization)).toBe(2);
  });
});

describe('deleting organizations', () => {
  it('removes all rows below them, and no rows below others', async () => {
    const [gone, kept] = [await anOrganization(tenant), await anOrganization(tenant)];
    for (const organizationId of [gone, kept]) {
      const folder = await aFolder(tenant, { organizationId });
      const below = await aFolder(tenant, { organizationId, parentFolderId: folder.folderId });
      await addActivityLogs(tenant, await aDocument(tenant, { organizationId }), activities(3));
      await addActivityLogs(tenant, await aDocument(tenant, { ...below }), activities(3));
    }
    const [organization, other] = [
      await surrogate('organization', gone),
      await surrogate('organization', kept),
    ];
    const { jobId } = await tenant.ok('/v2/organizations/delete', { organizationIds: [gone] });
    await finished(jobId);
    for (const table of ['activity', 'document', 'folder']) {
      expect(await left(table, organization)).toBe(0);
      expect(await left(table, other)).toBeGreaterThan(0);
    }
    expect(await sql('select 1 from organization where id = $1', [organization])).toEqual([]);
  });

  it('keeps an organization that is created concurrently under the same id', async () => {
    const organizationId = await anOrganization(tenant);
    await addActivityLogs(tenant, await aDocument(tenant, { organizationId }), activities(3));
    const { jobId } = await tenant.ok('/v2/organizations/delete', { organizationIds: [organizationId] });
    await anOrganization(tenant, { organizationId });
    const document = await aDocument(tenant, { organizationId });
    await finished(jobId);
    const { data } = await tenant.ok<object[]>('/v1/organizations/documents/get', { organizationId });
    expect(data).toMatchObject([{ id: document.documentId }]);
  });
});

describe('a cascade', () => {
  it('never removes a row that is not marked as deleted, with any request', async () => {
    const folder = await aFolder(tenant);
    const { organizationId } = folder;
    const document = await aDocument(tenant, { ...folder });
    const request = {
      organizations: [await surrogate('organization', organizationId)],
      folders: [await surrogate('folder', folder.folderId)],
      documents: [await surrogate('document', document.documentId)],
    };
    const jobId = freshId('job');
    await sql(
      `insert into job (api_key_id, public_id, kind, request, next_sweep_at) values ($1, $2, 4, $3, now())`,
      [tenant.id, jobId, JSON.stringify(request)],
    );
    expect(await finished(jobId)).toMatchObject({ progress: { done: 0, total: 0 } });
    const { data } = await tenant.ok<object[]>('/v1/organizations/documents/get', { organizationId });
    expect(data).toHaveLength(1);
  });
});

describe('the job that deletes a key', () => {
  it('completes while deliveries wait for a retry, and ends every workflow of the key', async () => {
    const { api, temporal } = installation;
    const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace = '' } = temporal;
    const operator = anOperator(api);
    const { tenant, ids } = await aWorld(api);
    const receiver = await aReceiver();
    receiver.behave(responding(500));
    await anEndpoint(api, tenant, receiver.url);
    await happened(api, tenant, [{}, {}]);
    await eventually(() => expect(receiver.ids().size).toBeGreaterThanOrEqual(2));
    const request = { keyId: tenant.keyId, confirmName: ids.keyName[0] };
    const { data } = await operator.ok<{ jobId: string }>('/v2/operator/keys/delete', request);
    const { jobId } = data;
    await endCallsOfDeletedKeys(api.database);
    await eventually(async () =>
      expect((await operator.ok('/v2/operator/keys/deletion/get', { jobId })).data).toMatchObject({
        status: 'completed',
        receipt: expect.any(String),
      }),
    );
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace });
    const query = `StewardKeyId = '${tenant.keyId}' and ExecutionStatus = 'Running'`;
    await eventually(async () => expect((await client.workflow.count(query)).count).toBe(0));
    await connection.close();
    await receiver.close();
  });
});
