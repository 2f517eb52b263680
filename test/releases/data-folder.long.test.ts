import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client as TemporalClient, Connection } from '@temporalio/client';
import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { Client as PostgresClient } from 'pg';
import type { DemoFile } from '../../local/demo-file.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { killTree, npmStart, startBy, type Start } from '../start/npm-start.ts';
import { aiProviders, saying } from '../support/ai-providers.ts';
import { aClient, type Response, type TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import {
  activities,
  addActivityLogs,
  aDocument,
  anOrganization,
  freshId,
  withActivityLogs,
  type TestDocument,
} from '../support/factories.ts';
import { aReceiver, responding, type Delivered } from '../support/receiver.ts';
import { aRelease } from '../support/release.ts';
import { deleteData, deletionOf, endedDeletion, type DeletionStatus } from '../workflows/deletions.ts';
import { activityIds, ended, migrate, statusOf, type MigrationStatus } from '../workflows/migrations.ts';
import { release020 } from './releases.ts';

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

const release = await aRelease(release020);
closing.push(() => release.remove());
const data = join(await mkdtemp(join(tmpdir(), 'data-folder-')), 'data');
closing.push(() => removeCluster(join(data, 'postgres')));
const receiver = await aReceiver();
closing.push(receiver.close);
const providers = await aiProviders();
closing.push(providers.close);

const settings = {
  ...providers.environment,
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
  // Attempts for 20 minutes: the message must still wait when the receiver recovers.
  STEWARD_WEBHOOK_RETRY_SCHEDULE: ['0s', ...Array.from({ length: 60 }, () => '20s')].join(','),
};

const clientOf = ({ baseUrl, apiKey, authToken }: DemoFile): TestClient =>
  aClient(baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });

async function withTemporal<Result>(
  { temporalAddress: address }: DemoFile,
  act: (client: TemporalClient) => Promise<Result>,
): Promise<Result> {
  const connection = await Connection.connect({ address });
  try {
    return await act(new TemporalClient({ connection }));
  } finally {
    await connection.close();
  }
}

/** The migration of a document with 40 activity logs. */
interface Moved {
  readonly document: TestDocument;
  readonly newDocumentId: string;
  readonly logs: readonly string[];
  readonly migrationId: string;
}

async function aMigration(client: TestClient, organizationId: string, documentId: string): Promise<Moved> {
  const document = await aDocument(client, { organizationId, documentId });
  await addActivityLogs(client, document, activities(40));
  const newDocumentId = freshId('moved');
  const logs = await activityIds(client, document);
  return { document, newDocumentId, logs, migrationId: await migrate(client, document, newDocumentId) };
}

interface Person {
  readonly userId: string;
  readonly jobId: string;
}

/** Deletes the data of a member of a document, who is the actor of its activity logs or mentioned in them. */
async function aDeletion(client: TestClient, organizationId: string, acted: boolean): Promise<Person> {
  const document = await aDocument(client, { organizationId });
  const user = { userId: freshId('person'), name: 'Ada Lovelace', email: 'ada@example.com' };
  await client.ok('/v2/users/add', { ...document, users: [user, { userId: 'colleague', name: 'Grace' }] });
  const mentioned = { actionUser: { userId: 'colleague' }, entityData: { assignee: user } };
  await addActivityLogs(client, document, activities(20, acted ? { actionUser: user } : mentioned));
  return { userId: user.userId, jobId: await deleteData(client, { userIds: [user.userId] }) };
}

/**
 * Holds jobs of the running release at four statements, until the connection ends. They wait for an advisory lock of
 * the test. Once PostgreSQL is killed, nothing holds the lock, and the triggers have no effect.
 */
async function holdJobs({ databaseUrl }: DemoFile): Promise<void> {
  const holder = new PostgresClient({ connectionString: databaseUrl });
  holder.on('error', () => undefined);
  await holder.connect();
  await holder.query(`select pg_advisory_lock(20);
    create function hold() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(20); return coalesce(new, old); end $$;
    create trigger hold before update on document for each row
      when (old.ext_id like 'held-%' and new.ext_id <> old.ext_id) execute function hold();
    create trigger hold before update on migration for each row
      when (new.verified is not null) execute function hold();
    create trigger hold before update on user_data_deletion for each row
      when (new.ended_at is not null) execute function hold();
    create trigger hold before delete on activity for each row execute function hold();`);
}

/** A run of a workflow, and the step at which it is. */
interface Open {
  readonly workflowId: string;
  readonly runId: string;
  readonly at: string;
}

/** The running workflows without sweeps and AI calls. */
async function openWorkflows(demo: DemoFile): Promise<readonly Open[]> {
  return withTemporal(demo, async ({ workflow }) => {
    const found: Open[] = [];
    for await (const { workflowId, runId, type } of workflow.list({ query: `ExecutionStatus = 'Running'` })) {
      if (type === 'sweep' || type === 'askAi') continue;
      const { raw } = await workflow.getHandle(workflowId, runId).describe();
      const steps = (raw.pendingActivities ?? []).map(({ activityType }) => activityType?.name);
      found.push({ workflowId, runId, at: `${type}: ${steps.join() || 'waits'}` });
    }
    return found;
  });
}

const heldSteps = [
  'deleteUserData: completeDeletion',
  'deleteUserData: removePersonalData',
  'deliverWebhooks: waits',
  'migrateDocument: flipDocumentId',
  'migrateDocument: verifyMove',
  'workOnJob: workOnJob',
];

/** The responses to reads of records that no job changes. */
async function readKept(client: TestClient, document: TestDocument): Promise<readonly string[]> {
  const { organizationId } = document;
  const reads: readonly (readonly [string, object])[] = [
    ['/v2/organizations/get', {}],
    ['/v2/organizations/documents/get', { organizationId }],
    ['/v2/users/get', document],
    ['/v2/activities/get', { ...document, order: 'asc', pageSize: 1_000 }],
    ['/v2/workspace/advancedwebhook/endpoints/get', {}],
  ];
  const texts: string[] = [];
  for (const [path, sent] of reads) {
    const { status, text } = await client.call(path, sent);
    if (status !== 200) throw new Error(`${path} returned ${String(status)}: ${text}`);
    texts.push(text);
  }
  return texts;
}

const askAi = async (client: TestClient, idempotencyKey: string): Promise<Response> =>
  client.call(
    '/v2/rewriter/ask-ai',
    { model: 'gpt-4o', text: 'Send me the plan.', prompt: 'Make it friendlier.' },
    { idempotencyKey },
  );

/** What was written and begun on release 0.2.0. */
interface Written {
  readonly demo: DemoFile;
  readonly document: TestDocument;
  readonly reads: readonly string[];
  readonly done: {
    readonly migration: MigrationStatus;
    readonly deletion: DeletionStatus;
    readonly deleted: Person;
  };
  readonly migrations: readonly Moved[];
  readonly deletions: readonly Person[];
  readonly waiting: Delivered;
  readonly open: readonly Open[];
  readonly aiCall: string;
}

/** Runs 0.2.0 on the data folder, and kills it while its jobs run. */
async function leaveBehind(): Promise<Written> {
  const start = startBy([process.execPath, 'cli/start.ts'], data, settings, release.folder);
  closing.push(async () => {
    start.child.kill('SIGTERM');
    await start.ended();
  });
  const demo = await start.ready();
  const client = await withActivityLogs(clientOf(demo));
  await client.ok('/v2/workspace/apikeyconfig/update', {
    aiModelApiKey: [{ provider: 'openai', customerApiKey: 'sk-of-the-tests' }],
  });
  const document = await aDocument(client, { documentName: 'Plan' });
  await client.ok('/v2/users/add', { ...document, users: [{ userId: 'reader', name: 'Mary' }] });
  await addActivityLogs(client, document, activities(300));

  const organizationId = await anOrganization(client);
  const moved = await aMigration(client, organizationId, freshId('early'));
  const migration = await ended(client, moved.document, moved.migrationId);
  const deleted = await aDeletion(client, organizationId, true);
  const deletion = await endedDeletion(client, deleted.jobId);

  await holdJobs(demo);
  const deletions = [
    await aDeletion(client, organizationId, true),
    await aDeletion(client, organizationId, false),
  ];
  const { documentId } = await aDocument(client, { organizationId });
  await addActivityLogs(client, { organizationId, documentId }, activities(10));
  await client.ok('/v2/organizations/documents/delete', { organizationId, documentIds: [documentId] });
  receiver.behave(responding(500));
  await client.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
  await client.ok('/v2/workspace/advancedwebhook/endpoints/create', { url: receiver.url });
  const migrations = [
    await aMigration(client, organizationId, freshId('held')),
    await aMigration(client, organizationId, freshId('early')),
  ];
  const waiting = await eventually(() => receiver.delivered[0] ?? false);
  const open = await eventually(async () => {
    const found = await openWorkflows(demo);
    expect(found.map(({ at }) => at).sort()).toEqual(heldSteps);
    return found;
  });
  const reads = await readKept(client, document);
  providers.behave(() => undefined);
  const aiCall = freshId('key');
  askAi(client, aiCall).catch(() => undefined);
  await eventually(() => providers.received.length > 0);

  await killTree(demo);
  await start.ended();
  const done = { migration, deletion, deleted };
  return { demo, document, reads, done, migrations, deletions, waiting, open, aiCall };
}

let written: Written;
let start: Start;
let demo: DemoFile;
let client: TestClient;
let startedAt: Date;

beforeAll(async () => {
  written = await leaveBehind();
  receiver.forget();
  receiver.behave(responding(200));
  providers.behave(saying('Rewritten.'));
  startedAt = new Date();
  start = npmStart(data, settings);
  closing.push(async () => {
    start.child.kill('SIGTERM');
    await start.ended();
  });
  // The file of the killed start is there until this one removes it.
  demo = await eventually(async () => {
    const now = await start.ready();
    return now.pids.supervisor !== written.demo.pids.supervisor && now;
  });
  client = clientOf(demo);
});

/** Expects a receipt that the published keys and the API verify for the user. */
async function expectReceipt({ jobId, receipt }: DeletionStatus, userId: string): Promise<void> {
  const published = await fetch(`${demo.baseUrl}/.well-known/jwks.json`);
  const keys = createLocalJWKSet((await published.json()) as JSONWebKeySet);
  const { payload } = await compactVerify(receipt?.jws ?? '', keys);
  expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({ jobId });
  const sent = { receipt, userIds: [userId] };
  const { data: users } = await client.ok('/v2/users/data/delete/receipt/verify', sent);
  expect(users).toMatchObject({ [userId]: { covered: true } });
}

describe('npm start on the data folder of release 0.2.0, killed while its jobs ran', () => {
  it('keeps the credentials and the address', () => {
    const { apiKey, authToken, workspaceId, operatorToken, baseUrl, databaseUrl } = written.demo;
    expect(demo).toMatchObject({ apiKey, authToken, workspaceId, operatorToken, baseUrl });
    const addressOf = (url: string): string => url.replace(/\?.*$/, '');
    expect(addressOf(demo.databaseUrl)).toBe(addressOf(databaseUrl));
  });

  it('returns the same organizations, documents, users, activity logs and endpoints', async () => {
    expect(await readKept(client, written.document)).toEqual(written.reads);
  });

  it('returns the result of jobs that had ended, with a receipt that it verifies', async () => {
    const { migration, deletion, deleted } = written.done;
    expect(migration).toMatchObject({ status: 'completed', verified: true });
    const { organizationId } = written.migrations[0]?.document ?? written.document;
    expect(await statusOf(client, { organizationId }, migration.migrationId)).toEqual(migration);
    const { status, verified, receipt, createdAt, completedAt } = deletion;
    expect([status, verified]).toEqual(['completed', true]);
    const now = await deletionOf(client, deletion.jobId);
    expect(now).toMatchObject({ status, verified, createdAt, completedAt });
    expect(now.receipt).toEqual(receipt);
    await expectReceipt(now, deleted.userId);
  });

  it.each([0, 1])('completes and verifies running migration %i with all activity logs', async (index) => {
    const moved = written.migrations[index];
    if (moved === undefined) throw new Error('Missing migration.');
    const { document, newDocumentId, logs, migrationId } = moved;
    expect(await ended(client, document, migrationId)).toMatchObject({
      status: 'completed',
      verified: true,
      error: null,
    });
    expect(await activityIds(client, { ...document, documentId: newDocumentId })).toEqual(logs);
  });

  it.each([0, 1])('completes running deletion %i, with a receipt that its keys verify', async (index) => {
    const { jobId, userId } = written.deletions[index] ?? { jobId: '', userId: '' };
    const status = await endedDeletion(client, jobId);
    expect(status).toMatchObject({ status: 'completed', verified: true });
    await expectReceipt(status, userId);
    const found = await client.call('/v2/users/data/get', { userId });
    expect(found.text).not.toContain('Ada Lovelace');
  });

  it('delivers the webhook that waited for its next attempt', async () => {
    const { id, text } = written.waiting;
    const delivered = await eventually(() => receiver.delivered.find((one) => one.id === id) ?? false);
    expect(delivered.text).toBe(text);
  });

  it('responds to an AI call that the kill interrupted, under the same Idempotency-Key', async () => {
    await eventually(async () => {
      const { status, text } = await askAi(client, written.aiCall);
      expect([status, text.includes('Rewritten.')]).toEqual([200, true]);
    });
  });

  it('completes every running workflow in its own run', async () => {
    for (const { workflowId, runId, at } of written.open) {
      const status = await eventually(async () => {
        const name = await withTemporal(demo, async ({ workflow }) => {
          return (await workflow.getHandle(workflowId, runId).describe()).status.name;
        });
        return name !== 'RUNNING' && name;
      });
      expect([at, status]).toEqual([at, 'COMPLETED']);
    }
  });

  it('leaves no job that has not completed', async () => {
    const database = new PostgresClient({ connectionString: demo.databaseUrl });
    await database.connect();
    closing.push(() => database.end());
    await eventually(async () => {
      const { rows } = await database.query('select kind, status, error from job where status <> 2');
      expect(rows).toEqual([]);
    });
  });

  it('completes sweeps of the schedule, and new jobs', async () => {
    const query = `WorkflowType = 'sweep' and ExecutionStatus = 'Completed' and StartTime > '${startedAt.toISOString()}'`;
    await eventually(async () =>
      withTemporal(demo, async ({ workflow }) => (await workflow.count(query)).count > 0),
    );
    const organizationId = await anOrganization(client);
    const { document, migrationId } = await aMigration(client, organizationId, freshId('early'));
    expect(await ended(client, document, migrationId)).toMatchObject({ status: 'completed', verified: true });
  });
});
