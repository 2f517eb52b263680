import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import type { Response } from '../support/client.ts';
import { aDatabase } from '../support/database.ts';
import { sceneOf } from '../support/example-scenes.ts';
import { aTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { destructiveLast, inLeftWorlds } from '../support/left-worlds.ts';
import { onOneDay } from '../support/one-period.ts';
import { aReceiver } from '../support/receiver.ts';
import { expectRecorded, recording } from '../support/response-examples.ts';
import { aRuntimeRole } from '../support/runtime-role.ts';
import { explain, isTransactionCommand, statementsOf } from '../support/statements.ts';
import { happened } from '../support/webhooks.ts';
import { callerOf, requestsOf, type Operation } from '../support/operations.ts';
import { about } from '../support/world-ids.ts';
import { aWorld, type World } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const database = await aDatabase();
/** The role that the documentation recommends: every example proves that its grants suffice. */
const role = await aRuntimeRole(database);
const api = await startTestApi({
  database,
  databaseUrl: role.url,
  environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' },
});
const readApi = await startTestApi();
const receiver = await aReceiver();
afterAll(async () => {
  await receiver.close();
  await readApi.close();
  await api.close();
  await role.drop();
  await database.drop();
});

const inWorld = inLeftWorlds(api);

/** An API and a world in it. */
interface Location {
  readonly at: TestApi;
  readonly world: World;
}

let readLocation: Promise<Location> | undefined;

/** One world in a database of its own: lists of operators show every world. One of its events is not dispatched. */
async function aReadLocation(): Promise<Location> {
  const world = await aWorld(readApi);
  await happened(readApi, world.tenant, [{}]);
  return { at: readApi, world };
}

/** What is recorded was seen in a world of the example's own. */
const inOwnWorld = async (check: (world: World) => Promise<void>): Promise<void> => check(await aWorld(api));
const inRecordedWorld = recording ? inOwnWorld : inWorld;

/** Operations that change nothing share a world. */
const changesNothing = ({ mutates, paths }: Endpoint): boolean => !mutates && sceneOf(paths[0]) === undefined;

/** Prepares the world so that the example of the operation returns its records. */
async function onScene(endpoint: Endpoint, world: World): Promise<World> {
  const scene = sceneOf(endpoint.paths[0]);
  return { ...world, ids: { ...world.ids, ...(await scene?.({ api, receiver }, world)) } };
}

type Items = Record<string, { success?: boolean }>;

/** Sends the example. Its response succeeds, and so does every item. */
async function succeeding(
  { endpoint, path }: Operation,
  { tenant, ids }: World,
  at: TestApi = api,
): Promise<Response> {
  const response = await callerOf(at, tenant, endpoint).call(path, about(ids, endpoint.example));
  const { kind, httpStatus } = endpoint.response;
  expect([response.status, response.text]).toEqual([httpStatus, expect.any(String)]);
  if (kind === 'batch')
    for (const item of Object.values(response.body.result?.data as Items))
      expect(item).toMatchObject({ success: true });
  return response;
}

async function expectReference(operation: Operation): Promise<void> {
  if (changesNothing(operation.endpoint)) {
    await expectReferenceAt(operation, await (readLocation ??= aReadLocation()));
  } else {
    await inRecordedWorld((world) => expectReferenceAt(operation, { at: api, world }));
  }
}

async function expectReferenceAt(operation: Operation, { at, world }: Location): Promise<void> {
  const { endpoint, path } = operation;
  const { tenant, ids } = await onScene(endpoint, world);
  const response = await succeeding(operation, { tenant, ids }, at);
  const sent = about(ids, endpoint.example);
  const { kind, client } = endpoint.response;
  if (client === 'stream') {
    const caller = callerOf(at, tenant, endpoint);
    for (const format of ['ndjson', 'csv'])
      expectRecorded({ endpoint, ids, sent, response: await caller.call(path, { ...sent, format }) });
    return;
  }
  // The rewriter needs a provider: its own test records its response.
  if (kind !== 'result') expectRecorded({ endpoint, ids, sent, response });
}

describe('the example of an operation', () => {
  // The test of statements below sends it under an older path.
  const latest = endpoints.map((endpoint) => ({ endpoint, path: endpoint.paths.at(-1) ?? '' }));

  it.each(destructiveLast(latest))(
    'succeeds for $path, with the response of the reference',
    async (operation) => onOneDay(() => expectReference(operation)),
  );
});

describe('the example under the oldest path', () => {
  beforeAll(async () => withLargeTables(api.database, (await aTenant(api)).id));

  /** Texts of statements, whose plans are generic. */
  const withIndex = new Set<string>();

  async function expectIndexes(sent: readonly { readonly text: string }[]): Promise<void> {
    expect(sent.length).toBeGreaterThan(0);
    for (const statement of sent) {
      if (withIndex.has(statement.text) || isTransactionCommand(statement)) continue;
      const { wholeTables } = await explain(api.database, statement);
      expect({ ...statement, wholeTables }).toEqual({ ...statement, wholeTables: [] });
      withIndex.add(statement.text);
    }
  }

  async function expectIndexesOf(operation: Operation, left: World): Promise<void> {
    const { endpoint, path } = operation;
    const world = await onScene(endpoint, left);
    const [, ...others] = requestsOf(endpoint);
    // A failed example would have sent fewer statements.
    await expectIndexes(await statementsOf(async () => succeeding(operation, world)));
    for (const request of others) {
      const caller = callerOf(api, world.tenant, endpoint);
      await expectIndexes(await statementsOf(async () => caller.call(path, about(world.ids, request))));
    }
  }

  const written = endpoints.map((endpoint) => ({ endpoint, path: endpoint.paths[0] }));

  it.each(destructiveLast(written))(
    'succeeds for $path, and every statement reads tables by an index',
    async (operation) => inWorld((world) => expectIndexesOf(operation, world)),
  );
});
