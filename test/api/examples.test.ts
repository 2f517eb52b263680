import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { endpoints } from '../../api/endpoints.ts';
import type { Endpoint } from '../../api/http/endpoint.ts';
import { startTestApi } from '../support/api.ts';
import { activities, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf } from '../support/statements.ts';
import {
  about,
  aWorld,
  callerOf,
  operations,
  requestsOf,
  type World,
  type WorldIds,
} from '../support/world.ts';

/* Generated from the registry: an operation is covered from the moment it is registered. */

const api = await startTestApi();
afterAll(api.close);

let readWorld: Promise<World> | undefined;

/** A world of the test's own; operations that change nothing share one. */
const worldFor = async ({ mutates }: Endpoint): Promise<World> =>
  mutates ? aWorld(api) : (readWorld ??= aWorld(api));

type Items = Record<string, { success?: boolean; code?: string }>;

describe('the example of the reference', () => {
  it.each(operations)('works: $path', async ({ endpoint, path }) => {
    const { tenant, ids } = await worldFor(endpoint);
    const caller = callerOf(api, tenant, endpoint);
    const { message, data } = await caller.ok<Items>(path, about(ids, endpoint.example));
    expect(message).not.toBe('');
    if (endpoint.answer.kind !== 'batch') return;
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

  it.each(written)('of $path enters tables by an index', async ({ endpoint, path }) => {
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

describe('the number of statements', () => {
  const batches = endpoints
    .map((endpoint) => ({ endpoint, path: endpoint.paths[0], members: listsOf(endpoint.example) }))
    .filter(({ members }) => members.length > 0);

  it.each(batches)(
    'of $path is the same for two items and for thirty',
    async ({ endpoint, path, members }) => {
      const { tenant, ids } = await worldFor(endpoint);
      const example = about(ids, endpoint.example) as Record<string, unknown[]>;
      const existing = await thirtyOfEach(tenant, ids);
      const count = async (items: number): Promise<number> => {
        const larger = members.map((member) => {
          const [item] = example[member] ?? [];
          const several = Array.from({ length: items }, (_, place) =>
            alike(item, member, (kind) =>
              path.endsWith('/add') ? freshId(kind) : (existing[kind]?.[place] ?? freshId(kind)),
            ),
          );
          return [member, several];
        });
        const sent = await statementsOf(async () => {
          const data = { ...example, ...(Object.fromEntries(larger) as object) };
          const { status, text } = await callerOf(api, tenant, endpoint).call(path, data);
          expect({ done: status < 300, status, text }).toMatchObject({ done: true });
        });
        return sent.length;
      };
      const two = await count(2);
      expect(await count(30)).toBe(two);
    },
  );
});

async function thirtyOfEach(tenant: TestTenant, ids: WorldIds): Promise<Record<string, readonly string[]>> {
  const [organizationId] = ids.organization;
  const [documentId] = ids.document;
  const thirty = (kind: string): string[] => Array.from({ length: 30 }, () => freshId(kind));
  const [organization, folder, document] = [thirty('organization'), thirty('folder'), thirty('document')];
  await tenant.ok('/v2/organizations/add', {
    organizations: organization.map((id) => ({ organizationId: id })),
  });
  await tenant.ok('/v2/organizations/folders/add', {
    organizationId,
    folders: folder.map((id) => ({ folderId: id })),
  });
  await tenant.ok('/v2/organizations/documents/add', {
    organizationId,
    documents: document.map((id) => ({ documentId: id })),
  });
  const { data } = await tenant.ok<{ activityIds: string[] }>('/v2/activities/add', {
    organizationId,
    documentId,
    activities: activities(30),
  });
  return { organization, folder, document, activity: data.activityIds };
}

/** Members of an example that are lists of ids or of records; lists of settings have no batch behind them. */
function listsOf(example: unknown): string[] {
  return Object.entries(example as object)
    .filter(([name, value]) => Array.isArray(value) && !['aiModelApiKey', 'domains'].includes(name))
    .map(([name]) => name);
}

/** An item like the given one, with an id of its own. */
function alike(item: unknown, list: string, idOf: (kind: string) => string): unknown {
  if (typeof item === 'string') return idOf(list.replace(/Ids$/, ''));
  const members = Object.entries(item as object).map(([name, value]) => {
    if (name === 'id' && list === 'activities') return [name, idOf('activity')];
    const kind = /^(organization|document|folder|user)Id$/.exec(name)?.[1];
    return [name, kind === undefined ? (value as unknown) : idOf(kind)];
  });
  return Object.fromEntries(members) as object;
}
