import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import type { DemoFile } from '../../local/demo-file.ts';
import { removeCluster } from '../../local/postgres-cluster.ts';
import { cliBeside, npmStart, type Start } from '../start/npm-start.ts';
import { aClient, type TestClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { freshId } from '../support/factories.ts';
import { aReceiver, responding, type Receiver } from '../support/receiver.ts';

/* Runs every task of an operator on the command line against `npm start`. The tests run in order. */

let data: string;
let start: Start;
let demo: DemoFile;
let customer: TestClient;
let receiver: Receiver;
let database: Client;

interface Result<Data> {
  readonly data: Data;
}
interface Listed {
  readonly [member: string]: unknown;
}

const command = async (line: string, environment: NodeJS.ProcessEnv = {}) =>
  cliBeside(data, [...line.split(' '), '--json'], environment);

async function run<Data = Listed>(line: string, environment: NodeJS.ProcessEnv = {}): Promise<Data> {
  const { exitCode, out, err } = await command(line, environment);
  if (exitCode !== 0) throw new Error(`${line}: ${err}`);
  return (JSON.parse(out) as Result<Data>).data;
}

const list = async (line: string): Promise<readonly Listed[]> => run<Listed[]>(line);

/** Exit code 2 is an invalid argument. */
async function refused(line: string, environment: NodeJS.ProcessEnv = {}, code: 1 | 2 = 1): Promise<string> {
  const { exitCode, err } = await command(line, environment);
  expect(exitCode).toBe(code);
  return err;
}

const keyId = async (): Promise<string> => String((await list('jobs list'))[0]?.['keyId']);

/** Records events by an operation of the API. */
async function happened(count: number): Promise<void> {
  await customer.ok('/v2/activities/add', {
    organizationId: 'acme',
    documentId: 'plan',
    activities: Array.from({ length: count }, () => ({
      featureType: 'custom',
      actionType: 'test.happened',
      actionUser: { userId: 'ada' },
      targetEntityId: 'target',
    })),
  });
}

beforeAll(async () => {
  data = join(await mkdtemp(join(tmpdir(), 'operator-')), 'data');
  start = npmStart(data, { STEWARD_WEBHOOK_RETRY_SCHEDULE: '0s' });
  demo = await start.ready();
  receiver = await aReceiver();
  database = new Client({ connectionString: demo.databaseUrl });
  await database.connect();
  customer = aClient(demo.baseUrl, { 'x-svc-api-key': demo.apiKey, 'x-svc-auth-token': demo.authToken });
  await customer.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
  await customer.ok('/v2/organizations/documents/add', {
    organizationId: 'acme',
    documents: [{ documentId: 'plan' }],
  });
  await customer.ok('/v2/workspace/advancedwebhookconfig/update', { isEnabled: true });
});

afterAll(async () => {
  await database.end();
  await receiver.close();
  start.child.kill('SIGTERM');
  await start.ended();
  await removeCluster(join(data, 'postgres'));
});

describe('an operator with the command line', () => {
  it('checks the deployment and sees its processes', async () => {
    await eventually(async () => (await list('processes list')).length === 2);
    const { exitCode, out } = await cliBeside(data, ['doctor']);
    expect(out).not.toMatch(/^serious/m);
    expect(exitCode).toBe(0);
    const processes = await list('processes list');
    expect(new Set(processes.map(({ kind }) => kind))).toEqual(new Set(['api', 'worker']));
    expect(new Set(processes.map(({ buildId }) => buildId)).size).toBe(1);
  });

  it('creates a token with a scope, and revokes it', async () => {
    const added = await run('tokens add --name on-call --scope read');
    const environment = { STEWARD_API_URL: demo.baseUrl, STEWARD_OPERATOR_TOKEN: String(added['token']) };
    await run('processes list', environment);
    expect(await refused('webhooks pause --all', environment)).toContain('operate');
    await run(`tokens revoke --token-id ${String(added['tokenId'])}`);
    await refused('processes list', environment);
  });

  it('lists, cancels and retries jobs', async () => {
    const provisioning = (await list('jobs list --kind webhook-provisioning'))[0];
    const jobId = String(provisioning?.['jobId']);
    const statusOf = async (job: string) => (await run(`jobs get --job-id ${job}`))['status'];
    await eventually(async () => (await statusOf(jobId)) === 'completed');
    expect(await refused(`jobs retry --job-id ${jobId}`)).toContain('The job has completed.');
    await database.query(`update job set status = 3, error = 'test' where public_id = $1`, [jobId]);
    expect((await list('jobs list --status failed'))[0]).toMatchObject({ jobId, error: 'test' });
    await run(`jobs retry --job-id ${jobId}`);
    await eventually(async () => (await statusOf(jobId)) === 'completed');
    // While the worker is stopped, the next job stays pending.
    process.kill(demo.pids.worker, 'SIGSTOP');
    const { data: accepted } = await customer.ok<{ migrationId: string }>(
      '/v2/organizations/documents/migrate',
      { organizationId: 'acme', documentId: 'plan', newDocumentId: freshId('plan') },
    );
    for (let round = 0; round < 2; round += 1) {
      const canceled = await run(`jobs cancel --job-id ${accepted.migrationId}`);
      expect(canceled).toMatchObject({ status: 'failed', error: 'cancelled' });
    }
    process.kill(demo.pids.worker, 'SIGCONT');
    expect(await refused('jobs get --job-id job_missing')).toContain('Job not found.');
  });

  it('pauses deliveries of all keys, of a key and of an endpoint, and resumes them without loss', async () => {
    const path = '/v2/workspace/advancedwebhook/endpoints/create';
    const { data: endpoint } = await customer.ok<{ id: string }>(path, { url: receiver.url });
    await happened(1);
    await eventually(() => receiver.delivered.length === 1);
    const scopes = ['--all', `--key-id ${await keyId()}`, `--endpoint-id ${endpoint.id}`];
    for (const [at, scope] of scopes.entries()) {
      expect(await run(`webhooks pause ${scope}`)).toMatchObject({ paused: true });
      const before = receiver.delivered.length;
      await happened(20);
      const health = async () => (await list(`webhooks health --endpoint-id ${endpoint.id}`))[0];
      await eventually(async () => (await health())?.['pending'] === 20);
      expect(await health()).toMatchObject({ paused: true, failingSince: null });
      expect(receiver.delivered).toHaveLength(before);
      expect(await run(`webhooks resume ${scope}`)).toMatchObject({ paused: false });
      await eventually(() => receiver.ids().size === 1 + 20 * (at + 1));
    }
    expect(receiver.delivered).toHaveLength(61);
  });

  it('recovers failed messages of an endpoint', async () => {
    receiver.behave(responding(500));
    receiver.forget();
    await happened(3);
    const endpoint = (await list('webhooks health'))[0];
    const failed = async () => (await database.query('select from delivery where status = 2')).rowCount === 3;
    await eventually(failed);
    receiver.behave(responding(200));
    receiver.forget();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const line = `webhooks recover --endpoint-id ${String(endpoint?.['endpointId'])} --since ${since}`;
    expect(await run(line)).toMatchObject({ messages: 3 });
    await eventually(() => receiver.ids().size === 3);
  });

  it('finds an event that cannot be dispatched, and dispatches it once its cause is fixed', async () => {
    receiver.forget();
    await database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    );
    await database.query(
      'create trigger refuse before insert on delivery for each row execute function refuse()',
    );
    await happened(1);
    const poison = async () => (await list('events poison list'))[0];
    await eventually(async () => (await poison()) !== undefined);
    expect(await poison()).toMatchObject({ reason: 'raised exception (P0001)', keyId: await keyId() });
    await database.query('drop trigger refuse on delivery');
    const eventId = String((await poison())?.['eventId']);
    expect(await run(`events poison retry --event-id ${eventId}`)).toEqual({ events: 1 });
    await eventually(() => receiver.delivered.length === 1);
    expect(await poison()).toBeUndefined();
    expect(await run(`events poison discard --event-id ${eventId}`)).toEqual({ events: 0 });
    await eventually(async () => (await list('events outbox')).length === 0);
  });

  it('reads the usage of a key, and sets its limits and the log level', async () => {
    const key = await keyId();
    await eventually(async () => (await list(`usage get --key-id ${key} --by hour`)).length > 0);
    await run(`limits update --key-id ${key} --requests-per-second 500`);
    expect(await run(`limits get --key-id ${key}`)).toMatchObject({ requestsPerSecond: 500 });
    expect(await run('loglevel update --level debug')).toMatchObject({ level: 'debug' });
    await run('loglevel update --level configured');
  });

  it('disables and enables a key and its workspace, and replaces the auth token of the key', async () => {
    const key = await keyId();
    const [workspace] = await list('workspaces list');
    const workspaceId = String(workspace?.['workspaceId']);
    expect((await list('keys list')).map((one) => one['keyId'])).toContain(key);
    expect(await run(`keys get --key-id ${key}`)).toMatchObject({ keyId: key, workspaceId });
    expect(await run(`workspaces get --workspace-id ${workspaceId}`)).toMatchObject({ workspaceId });
    for (const subject of [`keys %s --key-id ${key}`, `workspaces %s --workspace-id ${workspaceId}`]) {
      for (let round = 0; round < 2; round += 1) await run(subject.replace('%s', 'disable'));
      expect((await customer.refused('/v2/organizations/get', {})).status).toBe('PERMISSION_DENIED');
      await run(subject.replace('%s', 'enable'));
      await customer.ok('/v2/organizations/get', {});
    }
    await run(`keys authtoken reset --key-id ${key} --overlap-seconds 600`);
    await customer.ok('/v2/organizations/get', {});
  });

  it('deletes a key with all of its data after confirmation by its name', async () => {
    const created = await cliBeside(data, [
      'key',
      'create',
      '--workspace',
      demo.workspaceId,
      '--owner-email',
      'owner@example.com',
      '--name',
      'temporary',
      '--json',
    ]);
    const { apiKey, authToken } = JSON.parse(created.out) as { apiKey: string; authToken: string };
    const temporary = aClient(demo.baseUrl, { 'x-svc-api-key': apiKey, 'x-svc-auth-token': authToken });
    await temporary.ok('/v2/organizations/add', { organizations: [{ organizationId: 'acme' }] });
    const key = String((await list('keys list')).find(({ name }) => name === 'temporary')?.['keyId']);
    await refused(`keys delete --key-id ${key} --confirm-name other`, {}, 2);
    const { jobId } = await run(`keys delete --key-id ${key} --confirm-name temporary`);
    expect((await temporary.refused('/v2/organizations/get', {})).http).toBe(403);
    const deletion = async () => run(`keys deletion get --job-id ${String(jobId)}`);
    await eventually(async () => (await deletion())['status'] === 'completed');
    expect((await list('keys list')).map((one) => one['keyId'])).not.toContain(key);
  });

  it('finds these acts in the audit log', async () => {
    const entries = await list('auditlog get --page-size 1000');
    const actions = new Set(entries.map(({ action }) => action));
    for (const action of [
      'operator_token.add',
      'job.cancel',
      'job.retry',
      'key.disable',
      'key.delete',
      'webhooks.pause',
      'webhooks.resume',
    ])
      expect(actions).toContain(action);
    expect([...actions]).toEqual(
      expect.arrayContaining(['poison_events.retry', 'endpoint.recover_messages']),
    );
  });
});
