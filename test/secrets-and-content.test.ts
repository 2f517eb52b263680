import { afterAll, describe, expect, it } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { aiProviders, saying, withProviderKeys } from './support/ai-providers.ts';
import type { Response, TestClient } from './support/client.ts';
import { operatorToken } from './support/environment.ts';
import { eventually } from './support/eventually.ts';
import { destructiveLast } from './support/left-worlds.ts';
import { freshMarkers, markedExample } from './support/markers.ts';
import { aReceiver, responding } from './support/receiver.ts';
import { aNamespace } from './support/temporal.ts';
import { callerOf, operations, type Operation } from './support/operations.ts';
import { aWorld, type World } from './support/world.ts';
import { anInstallation } from './workflows/migrations.ts';

/*
 * Generated from the registry: every operation runs with secrets and content that are unique to this run. Afterwards each table, log line and workflow history is searched for them.
 */

const markers = freshMarkers();
const { secret, content } = markers;

const temporal = await aNamespace();
const providers = await aiProviders();
const receiver = await aReceiver();
const shared = {
  ...temporal,
  ...providers.environment,
  LOG_LEVEL: 'trace',
  STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
};
const installation = await anInstallation({ temporal: shared });
const { api } = installation;
const connection = await Connection.connect({ address: temporal.TEMPORAL_ADDRESS });
afterAll(async () => {
  await connection.close();
  await installation.close();
  await providers.close();
  await receiver.close();
});

/** Secrets that responses contain: keys, tokens, signing secrets of webhooks. */
const secretForm = /\b(?:key|tok|wst|opt|whsec)_[\w+/=-]{20,}/g;
const signedToken = /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g;

const secrets = new Set([secret, operatorToken]);
const contents = new Set([content]);

function collect(path: string, { text }: Response): void {
  for (const [found] of text.matchAll(secretForm)) secrets.add(found);
  if (path.endsWith('/generate_token')) for (const [found] of text.matchAll(signedToken)) secrets.add(found);
}

/** Operations that respond only after a worker's work. */
const throughWorkers = /rewriter\/ask-ai$/;
/** Operations that start jobs and record events. */
const startsWork =
  /(?:activities\/add|permissions\/check|documents\/migrate|users\/data\/delete|organizations\/delete)$/;

const sorted = destructiveLast(operations);

async function freshWorld(): Promise<World> {
  const world = await aWorld(api);
  const { apiKey, authToken, workspace } = world.tenant;
  for (const known of [apiKey, authToken, workspace.authToken]) secrets.add(known);
  for (const userId of world.ids.user) contents.add(userId);
  await configure(world);
  return world;
}

/** Configures every service that receives a secret of the customer. */
async function configure({ tenant }: World): Promise<void> {
  await withProviderKeys(tenant, secret);
  const url = `${receiver.url}/${content}`;
  await tenant.ok('/v2/workspace/permissionproviderconfig/update', {
    usePermissionProvider: true,
    permissionProviderConfig: { permissionProviderUrl: url, authToken: secret },
  });
  await tenant.ok('/v2/workspace/webhookconfig/update', {
    useWebhookService: true,
    webhookServiceConfig: { rawNotificationUrl: url, processedNotificationUrl: url, authToken: secret },
  });
}

const succeeded = ({ status }: Response): boolean => status < 300;

async function call({ endpoint, path }: Operation, { tenant, ids }: World): Promise<Response> {
  const data = await markedExample(endpoint, ids, markers, receiver.url);
  const client = callerOf(api, tenant, endpoint);
  const key = endpoint.mutates ? { idempotencyKey: `${content}-${path}-${tenant.id}` } : {};
  const response = await client.call(path, data, key);
  collect(path, response);
  await refuse(client, path);
  return response;
}

/** Requests that are refused because of wrong credentials, invalid JSON and unknown members. */
async function refuse(client: TestClient, path: string): Promise<void> {
  const wrong = Object.fromEntries(Object.keys(client.headers).map((name) => [name, secret]));
  await client.with(wrong).call(path, {});
  await client.call(path, undefined, { raw: `{"data":{"${content}":"${secret}` });
  if (path.startsWith('/v2/'))
    await client.call(path, { [content]: secret, apiKey: secret, userId: [content] });
}

/** The forms in which a text could occur: itself, and its bytes as hex or base64. */
const formsOf = (text: string): readonly string[] => [
  text,
  Buffer.from(text).toString('hex'),
  Buffer.from(text).toString('base64').replace(/=+$/, '').slice(0, -1),
];

/** Returns the lines that contain one of the texts. */
function linesWith(texts: ReadonlySet<string>, lines: Iterable<string>): string[] {
  const forms = [...texts].flatMap(formsOf);
  return [...lines]
    .filter((line) => forms.some((form) => line.includes(form)))
    .map((line) => line.slice(0, 500));
}

async function rowsOfEveryTable(): Promise<string[]> {
  const tables = await api.database.sql<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const rows: string[] = [];
  for (const { name } of tables) {
    const found = await api.database.sql<{ line: string }>(`select t::text as line from ${name} t`);
    rows.push(...found.map(({ line }) => `${name}: ${line}`));
  }
  return rows;
}

/** Returns the events of every workflow with decoded payloads. */
async function histories(): Promise<string[]> {
  const client = new Client({ connection, namespace: temporal.TEMPORAL_NAMESPACE });
  const found: string[] = [];
  for await (const { workflowId, runId, memo } of client.workflow.list()) {
    const history = historyToJSON(await client.workflow.getHandle(workflowId, runId).fetchHistory());
    const payloads = [...history.matchAll(/"([A-Za-z0-9+/]{8,}={0,2})"/g)].map(([, payload = '']) =>
      Buffer.from(payload, 'base64').toString('utf8'),
    );
    found.push(`${workflowId}: ${[history, JSON.stringify(memo), ...payloads].join('\n')}`);
  }
  return found;
}

/** Runs every operation, each in the world that the previous one left. */
async function runAll(): Promise<string[]> {
  const failed: string[] = [];
  let world = await freshWorld();
  for (const operation of sorted) {
    if (throughWorkers.test(operation.path) || succeeded(await call(operation, world))) continue;
    // A previous operation may have changed records of its example.
    world = await freshWorld();
    const response = await call(operation, world);
    if (!succeeded(response)) failed.push(`${operation.path} ${response.text.slice(0, 300)}`);
  }
  return failed;
}

/** Runs the work of workers for a key until all of it has ended. */
async function runWorkflows(): Promise<string[]> {
  const world = await freshWorld();
  const failed: string[] = [];
  for (const operation of sorted.filter(({ path }) => throughWorkers.test(path) || startsWork.test(path))) {
    // On a slow machine, the API's limit on waiting for the worker may pass before it responds.
    const response = await eventually(async () => {
      const one = await call(operation, world);
      if (one.status === 503) throw new Error(`${operation.path} ${one.text.slice(0, 300)}`);
      return one;
    });
    if (!succeeded(response)) failed.push(`${operation.path} ${response.text.slice(0, 300)}`);
  }
  await eventually(async () => {
    const open = 'select 1 from job where api_key_id = $1 and ended_at is null';
    return (await api.database.sql(open, [world.tenant.id])).length === 0;
  });
  await eventually(() => linesWith(new Set([secret]), headersReceived()).length > 0);
  return failed;
}

const headersReceived = (): string[] => receiver.delivered.map(({ headers }) => JSON.stringify(headers));

describe('secrets and content', () => {
  it('of every operation are in no log line and no history, and no table contains secrets in plain text', async () => {
    // A server that echoes its input, as a customer's may.
    receiver.behave((delivered, response) =>
      responding(500, {}, `${delivered.text} ${content} ${secret}`)(delivered, response),
    );
    providers.behave(saying(`Rewritten ${content}`));
    expect(await runAll()).toEqual([]);
    const worker = await installation.startWorker();
    expect(await runWorkflows()).toEqual([]);
    const prompts = providers.received.map(({ body }) => JSON.stringify(body));
    expect(linesWith(new Set([content]), prompts)).not.toEqual([]);
    await worker.stop();
    const [found, rows] = [await histories(), await rowsOfEveryTable()];
    expect(found.length).toBeGreaterThan(10);
    expect(linesWith(contents, rows).length).toBeGreaterThan(20);
    expect(linesWith(secrets, rows)).toEqual([]);
    for (const texts of [secrets, contents]) {
      expect(linesWith(texts, [...api.log, ...worker.log])).toEqual([]);
      expect(linesWith(texts, found)).toEqual([]);
    }
  });
});
