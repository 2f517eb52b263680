import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import { sceneOf } from '../support/example-scenes.ts';
import { aTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { aReceiver } from '../support/receiver.ts';
import { expectRecorded } from '../support/response-examples.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { about, aWorld, callerOf, operations, requestsOf, type World } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi({ environment: { STEWARD_OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8' } });
const receiver = await aReceiver();
afterAll(async () => {
  await receiver.close();
  await api.close();
});

let readWorld: Promise<World> | undefined;

/** A world of the test's own; operations that change nothing share one. */
const worldFor = async ({ mutates }: Endpoint): Promise<World> =>
  mutates ? aWorld(api) : (readWorld ??= aWorld(api));

/** A world in which the example of the operation returns what it is about. Lists of operators begin with its records. */
async function sceneFor(endpoint: Endpoint): Promise<World> {
  const scene = sceneOf(endpoint.paths[0]);
  const isShared = scene === undefined && endpoint.credentials !== 'operator';
  const world = await worldFor({ ...endpoint, mutates: endpoint.mutates || !isShared });
  return { ...world, ids: { ...world.ids, ...(await scene?.({ api, receiver }, world)) } };
}

type Items = Record<string, { success?: boolean }>;

describe('the example of an operation', () => {
  it.each(operations)(
    'succeeds for $path, with the response of the reference',
    async ({ endpoint, path }) => {
      const { tenant, ids } = await sceneFor(endpoint);
      const caller = callerOf(api, tenant, endpoint);
      const sent = about(ids, endpoint.example);
      const response = await caller.call(path, sent);
      const { kind, httpStatus } = endpoint.response;
      expect([response.status, response.text]).toEqual([httpStatus, expect.any(String)]);
      if (kind === 'batch')
        for (const item of Object.values(response.body.result?.data as Items))
          expect(item).toMatchObject({ success: true });
      if (path !== endpoint.paths.at(-1)) return;
      if (kind === 'export') {
        for (const format of ['ndjson', 'csv'])
          expectRecorded({ endpoint, ids, sent, response: await caller.call(path, { ...sent, format }) });
        return;
      }
      // The rewriter needs a provider: its own test records its response.
      if (kind !== 'result') expectRecorded({ endpoint, ids, sent, response });
    },
  );
});

describe('every statement', () => {
  beforeAll(async () => withLargeTables(api.database, (await aTenant(api)).id));

  const transaction = /^(?:begin|commit|rollback|savepoint|release|set |select pg_(?:try_)?advisory)/i;

  const written = endpoints.map((endpoint) => ({ endpoint, path: endpoint.paths[0] }));

  it.each(written)('of $path reads tables by an index', async ({ endpoint, path }) => {
    const { tenant, ids } = await worldFor(endpoint);
    for (const request of requestsOf(endpoint)) {
      const caller = callerOf(api, tenant, endpoint);
      const sent = await statementsOf(() => caller.call(path, about(ids, request)));
      expect(sent.length).toBeGreaterThan(0);
      for (const statement of sent) {
        if (transaction.test(statement.text.trim())) continue;
        const { wholeTables } = await explain(api.database, statement);
        expect({ ...statement, wholeTables }).toEqual({ ...statement, wholeTables: [] });
      }
    }
  });
});
