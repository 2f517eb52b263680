import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { sha256 } from '../../platform/encryption/tokens.ts';
import { addKeywords } from '../../platform/temporal/search-attributes.ts';
import { searchAttributes as embeddedAttributes } from '../../local/servers.ts';
import { searchAttributes } from '../../workflows/contract.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  aTenant,
  freshId,
  type TestTenant,
} from '../support/factories.ts';
import type { TestProcess } from '../support/processes.ts';
import { responding, aReceiver, type Receiver } from '../support/receiver.ts';
import { itInFull } from '../support/tier.ts';
import { aListeningTenant, anEndpoint, happened } from '../support/webhooks.ts';
import { aNamespace } from '../support/temporal.ts';
import { deleteData, endedDeletion } from './deletions.ts';
import { anInstallation, ended, migrate, type Installation } from './migrations.ts';

let installation: Installation;
let tenant: TestTenant;
let connection: Connection;
let client: Client;
let receiver: Receiver;
let worker: TestProcess;

beforeAll(async () => {
  const temporal = await aNamespace();
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = temporal;
  connection = await Connection.connect({ address });
  client = new Client({ connection, namespace });
  // Registers only the attributes of an earlier release. The first start of a workflow registers the others.
  await addKeywords(client, ['StewardJobId', 'StewardJobKind', 'StewardOrganizationId']);
  installation = await anInstallation({ temporal });
  tenant = await aListeningTenant(installation.api);
  await tenant.ok('/v2/workspace/activityconfig/update', { activityServiceConfig: { isEnabled: true } });
  receiver = await aReceiver();
  worker = await installation.startWorker({ STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' });
});

afterAll(async () => {
  await connection.close();
  await installation.close();
  await receiver.close();
});

/** Returns the ids of the workflows that a query finds. Temporal's visibility is eventually consistent. */
async function listed(query: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) found.push(workflowId);
  return found;
}

const memoOf = async (workflowId: string) => {
  await client.workflow.getHandle(workflowId).result();
  return (await client.workflow.getHandle(workflowId).describe()).memo ?? {};
};

const readable = (history: string): string =>
  [...history.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)]
    .map(([, payload]) => Buffer.from(payload ?? '', 'base64').toString('utf8'))
    .concat(history)
    .join('\n');

const historyOf = async (workflowId: string): Promise<string> =>
  readable(historyToJSON(await client.workflow.getHandle(workflowId).fetchHistory()));

describe('an ended migration', () => {
  it('shows its request and result as the memo of its workflow, and its progress in its job', async () => {
    const document = await aDocument(tenant);
    await addActivityLogs(tenant, document, activities(7));
    const requestId = freshId('request');
    const caller = { ...tenant, ...tenant.with({ 'x-request-id': requestId }) };
    const migrationId = await migrate(caller, document, freshId('moved'));
    await ended(tenant, document, migrationId);
    expect(await memoOf(`document-migration/${migrationId}`)).toEqual({
      requestId,
      result: {
        status: 'completed',
        counts: expect.objectContaining({ activities: 7 }),
        verified: true,
        durationMs: expect.any(Number),
        error: null,
      },
    });
    const { data } = await tenant.ok<{ progress: object }>('/v2/jobs/get', { jobId: migrationId });
    expect(data.progress).toEqual({ done: 7, total: 7 });
    const line = {
      msg: 'document migrated',
      jobId: migrationId,
      workflowId: `document-migration/${migrationId}`,
      activity: 'flipDocumentId',
      attempt: 1,
      requestId,
    };
    expect(logged(worker)).toContainEqual(expect.objectContaining(line));
  });

  it('shows no request id that could contain an address of a person', async () => {
    const document = await aDocument(tenant);
    const requestId = `${freshId('retry-for')}@example.com`;
    const caller = { ...tenant, ...tenant.with({ 'x-request-id': requestId }) };
    const migrationId = await migrate(caller, document, freshId('moved'));
    await ended(tenant, document, migrationId);
    const workflowId = `document-migration/${migrationId}`;
    expect(await memoOf(workflowId)).toEqual({ result: expect.objectContaining({ status: 'completed' }) });
    expect(await historyOf(workflowId)).not.toContain(requestId);
    const { data } = await tenant.ok<{ requestId: string }>('/v2/jobs/get', { jobId: migrationId });
    expect(data.requestId).toBe(requestId);
  });

  it('shows the reason of its failure', async () => {
    const document = await aDocument(tenant);
    const writer = await installation.api.database.connect();
    await writer.query('begin');
    await writer.query('select 1 from document where ext_id = $1 for key share', [document.documentId]);
    const migrationId = await migrate(tenant, document, freshId('moved'));
    await eventually(async () => {
      const begun = await installation.api.database.sql(
        'select from job where public_id = $1 and progress is not null',
        [migrationId],
      );
      return begun.length === 1;
    });
    await writer.query('update document set ext_id = null, deleted_at = now() where ext_id = $1', [
      document.documentId,
    ]);
    await writer.query('commit');
    await ended(tenant, document, migrationId);
    expect(await memoOf(`document-migration/${migrationId}`)).toMatchObject({
      result: { status: 'failed', verified: null, error: 'document was deleted' },
    });
  });
});

describe('an ended deletion of user data', () => {
  it.each([
    [false, true],
    [true, null],
  ])('shows its final figures as the memo of its workflow: dryRun %s', async (dryRun, verified) => {
    const document = await aDocument(tenant);
    const userId = freshId('person');
    await addActivityLogs(tenant, document, activities(3, { actionUser: { userId } }));
    const jobId = await deleteData(tenant, { userIds: [userId], dryRun });
    const { counts } = await endedDeletion(tenant, jobId);
    const shown = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
    const memo = await memoOf(`user-data-deletion/${jobId}`);
    expect(memo).toMatchObject({
      progress: { phase: 'completed', counts: shown },
      result: { status: 'completed', counts: shown, verified, durationMs: expect.any(Number), error: null },
    });
    const { data } = await tenant.ok<{ progress: { done: number; total: number } }>('/v2/jobs/get', {
      jobId,
    });
    expect(data.progress.done).toBe(data.progress.total);
  });
});

describe('a webhook workflow', () => {
  it('can be found by the public ids of its key and endpoint, and by its kind', async () => {
    receiver.behave(responding(200));
    const endpointId = await anEndpoint(installation.api, tenant, receiver.url);
    const document = await aDocument(tenant);
    await addActivityLogs(tenant, document, activities(1));
    const { keyId, apiKey } = tenant;
    expect(keyId).toBe(`akid_${sha256(sha256(apiKey)).toString('hex').slice(0, 32)}`);
    const kinds: readonly [string, string][] = [
      [`StewardJobKind = "webhook-dispatch" and StewardKeyId = "${keyId}"`, `webhook-dispatch/${keyId}`],
      [`StewardJobKind = "webhook-delivery" and StewardKeyId = "${keyId}"`, `webhook-endpoint/${endpointId}`],
      [`StewardEndpointId = "${endpointId}"`, `webhook-endpoint/${endpointId}`],
    ];
    for (const [query, workflowId] of kinds) {
      await eventually(async () => expect(await listed(query)).toContain(workflowId));
    }
    await eventually(async () =>
      expect(
        await listed(`StewardJobKind = "webhook-provisioning" and StewardKeyId = "${keyId}"`),
      ).toHaveLength(1),
    );
  });

  it('reports a turn in which every attempt failed in the log, the memo, the result and the timer', async () => {
    const failing = await aListeningTenant(installation.api);
    receiver.behave(responding(503));
    const endpointId = await anEndpoint(installation.api, failing, receiver.url);
    await tenantHappened(failing, 3);
    const handle = client.workflow.getHandle(`webhook-endpoint/${endpointId}`);
    // In the history, because a later turn may have other messages and replace the memo.
    await eventually(async () => {
      const history = await historyOf(`webhook-endpoint/${endpointId}`);
      const payloads = history.split('\n');
      expect(payloads).toContain('{"state":"failed","attempted":3,"delivered":0}');
      const results = payloads.filter((payload) => payload.startsWith('{"nextIn":'));
      expect(results.some((result) => result.endsWith(',"attempted":3,"delivered":0}'))).toBe(true);
      expect(history).toMatch(new RegExp(`${endpointId}: 0 of 3 delivered, next attempt in \\d+ s`));
    });
    await eventually(async () =>
      expect(await handle.query('__temporal_workflow_metadata')).toMatchObject({
        currentDetails: expect.stringContaining('delivered'),
      }),
    );
    receiver.behave(responding(200));
    await eventually(async () => expect((await handle.describe()).memo ?? {}).toEqual({}));
    const { keyId } = failing;
    const line = { msg: 'webhook delivery turn failed', keyId, endpointId, attempted: 3 };
    expect(logged(worker)).toContainEqual(expect.objectContaining(line));
  });
});

const logged = ({ log }: TestProcess): unknown[] =>
  log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as unknown);

async function tenantHappened(whose: TestTenant, count: number): Promise<void> {
  await happened(
    installation.api,
    whose,
    Array.from({ length: count }, () => ({})),
  );
}

describe('a namespace without room for the search attributes', () => {
  itInFull('runs jobs without them, and reports this in the log', async () => {
    const temporal = await aNamespace();
    const full = new Client({ connection, namespace: temporal.TEMPORAL_NAMESPACE });
    await addKeywords(
      full,
      Array.from({ length: 10 }, (_, index) => `Other${String(index)}`),
    );
    const other = await anInstallation({ temporal });
    try {
      const key = await aTenant(other.api);
      const document = await aDocument(key);
      const migrationId = await migrate(key, document, freshId('moved'));
      const without = await other.startWorker();
      expect(await ended(key, document, migrationId)).toMatchObject({ status: 'completed' });
      // Logged by the API, or by the worker's sweep when the API's start of the workflow timed out.
      expect([...other.api.log, ...without.log].join('')).toContain('search attribute not registered');
      expect(without.log.join('')).toContain('search attributes missing');
    } finally {
      await other.close();
    }
  });
});

describe('the list of workflows', () => {
  it('excludes the sweeps by their kind', async () => {
    const sweeps = await eventually(async () => {
      const found = await listed('StewardJobKind = "sweep"');
      return found.length > 0 && found;
    });
    const others = await listed('StewardJobKind != "sweep"');
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((id) => sweeps.includes(id))).toEqual([]);
  });

  it('contains every workflow by its kind and key, and none by a surrogate key or a secret', async () => {
    const { TEMPORAL_NAMESPACE: namespace } = installation.temporal;
    expect(namespace).toBeDefined();
    for await (const run of client.workflow.list()) {
      const attributes = run.searchAttributes as Record<string, readonly string[] | undefined>;
      expect(attributes[searchAttributes.jobKind]).toHaveLength(1);
      if (run.type !== 'sweep') expect(attributes[searchAttributes.keyId]?.[0]).toMatch(/^akid_/);
      const history = await historyOf(run.workflowId);
      for (const secret of [tenant.apiKey, tenant.authToken, receiver.url, 'u1@', 'person-']) {
        expect(history).not.toContain(secret);
      }
      expect(history).not.toMatch(/"tenantId"|"tenant":"\d+"/);
    }
  });

  it('has the same search attributes in an embedded start', () => {
    expect(Object.keys(embeddedAttributes)).toEqual(Object.values(searchAttributes));
  });
});
