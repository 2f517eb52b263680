import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import { aTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf } from '../support/statements.ts';
import { about, aWorld, callerOf, operations, requestsOf, type World } from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);

let readWorld: Promise<World> | undefined;

/** A world of the test's own; operations that change nothing share one. */
const worldFor = async ({ mutates }: Endpoint): Promise<World> =>
  mutates ? aWorld(api) : (readWorld ??= aWorld(api));

type Items = Record<string, { success?: boolean; code?: string }>;

describe('the example of an operation', () => {
  it.each(operations)('succeeds for $path', async ({ endpoint, path }) => {
    const { tenant, ids } = await worldFor(endpoint);
    const caller = callerOf(api, tenant, endpoint);
    const sent = about(ids, endpoint.example);
    if (endpoint.response.kind === 'export') {
      expect((await caller.call(path, sent)).status).toBe(200);
      return;
    }
    const { message, data } = await caller.ok<Items>(path, sent);
    expect(message).not.toBe('');
    if (endpoint.response.kind !== 'batch') return;
    // What an example of an addition adds is there already.
    const codes = Object.values(data).map(({ success, code }) =>
      success === true ? 'already-exists' : code,
    );
    expect(new Set(codes)).toEqual(new Set(['already-exists']));
  });
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
