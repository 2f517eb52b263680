import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createClient } from '../../packages/client/source/steward.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import {
  aDocument,
  anOrganization,
  aTenant,
  freshId,
  type TestDocument,
  type TestTenant,
} from '../support/factories.ts';
import { statementsOf } from '../support/statements.ts';

const list = '/v2/agents/execution/list';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

interface Listed {
  readonly items: readonly { readonly id: string; readonly startedAt: number; readonly status: string }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

const page = async (tenant: TestTenant, data: object = {}): Promise<Listed> =>
  (await tenant.ok(list, data)) as unknown as Listed;

/** Returns the ids of all pages in order. Calls `meanwhile` between two pages. */
async function all(tenant: TestTenant, data: object, meanwhile?: () => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  let cursor = '';
  do {
    const { items, nextCursor, hasMore } = await page(tenant, { ...data, ...(cursor !== '' && { cursor }) });
    expect(hasMore).toBe(nextCursor !== '');
    ids.push(...items.map(({ id }) => id));
    cursor = nextCursor;
    await meanwhile?.();
  } while (cursor !== '');
  return ids;
}

/** Writes executions by SQL, which is faster than calls. */
async function fill(tenant: TestTenant, count: number, of: { documents?: string } = {}): Promise<void> {
  await api.database.sql(
    `insert into agent_execution (api_key_id, org_id, document_id, ext_id, agent_id, status, started_at, completed_at, body)
     select $1, d.org_id, d.id, 'fill-' || coalesce(d.id, 0) || '-' || n, case when n % 100 = 0 then 'rare' else 'usual' end,
       case when n % 2 = 0 then 2 else 3 end, 1000000 + n / 3, 1000000 + n,
       '{"agentName":"a","agentVersion":1,"message":null,"trigger":"standalone","workflowExecutionId":null,"url":null,"ranBy":null}'
     from generate_series(1, $2) n left join document d on d.api_key_id = $1 and d.ext_id = $3`,
    [tenant.id, count, of.documents ?? null],
  );
}

describe('listing executions', () => {
  it('returns items, nextCursor and hasMore only', async () => {
    const tenant = await aTenant(api);
    expect((await tenant.call(list)).body).toEqual({ result: { items: [], nextCursor: '', hasMore: false } });
    await tenant.ok('/v2/agents/execution/add', {
      agentId: 'a',
      executionId: 'e',
      startedAt: 7,
      results: { x: 1 },
    });
    expect((await tenant.call(list)).body.result).toEqual({
      items: [
        {
          id: 'e',
          agentId: 'a',
          agentName: 'a',
          agentVersion: 1,
          status: 'running',
          message: 'Execution in progress',
          startedAt: 7,
          completedAt: null,
          durationMs: null,
          trigger: 'standalone',
        },
      ],
      nextCursor: '',
      hasMore: false,
    });
  });

  it('has the type of its response in the client', async () => {
    const { apiKey, authToken } = await aTenant(api);
    const client = createClient({ baseUrl: api.url, apiKey, authToken });
    await client.agents.executions.add({ agentId: 'a', executionId: 'e', status: 'passed' });
    const { items, nextCursor, hasMore } = await client.agents.executions.list({
      status: 'passed',
    });
    expect([items[0]?.durationMs, items[0]?.id, nextCursor, hasMore]).toEqual([0, 'e', '', false]);
    // @ts-expect-error: this response alone has no message.
    await client.agents.executions.list().then(({ message }) => expect(message).toBeUndefined());
  });

  it('returns 50 per page, newest first or in ascending order; equal times keep their order', async () => {
    const tenant = await aTenant(api);
    await fill(tenant, 120);
    expect((await page(tenant)).items).toHaveLength(50);
    const down = await all(tenant, {});
    expect(new Set(down).size).toBe(120);
    expect(down[0]).toBe('fill-0-120');
    expect(await all(tenant, { orderDirection: 'asc', pageSize: 7 })).toEqual([...down].reverse());
    expect(await all(tenant, { pageSize: 500 })).toEqual(down);
  });

  it('neither misses nor repeats executions while others are added', async () => {
    const tenant = await aTenant(api);
    await fill(tenant, 40);
    const before = await all(tenant, {});
    const seen = await all(tenant, { pageSize: 6 }, async () => {
      await tenant.ok('/v2/agents/execution/add', { agentId: 'new' });
    });
    expect(seen).toEqual(before);
  });
});

describe('every combination of filters', () => {
  const filters = ['agentId', 'documentId', 'organizationId', 'status'] as const;
  type Filter = (typeof filters)[number];
  const combinations = Array.from({ length: 16 }, (_, bits) =>
    filters.filter((_filter, bit) => bits & (1 << bit)),
  );
  const executions: (Record<Filter, string> & { id: string })[] = [];
  let tenant: TestTenant;
  let location: TestDocument;

  beforeAll(async () => {
    tenant = await aTenant(api);
    location = await aDocument(tenant);
    const elsewhere = await aDocument(tenant, { documentId: location.documentId });
    const other = await aDocument(tenant, { organizationId: location.organizationId });
    let number = 0;
    for (const { organizationId, documentId } of [location, elsewhere, other]) {
      for (const agentId of ['a', 'b']) {
        for (const status of ['passed', 'failed', 'passed']) {
          const executionId = `run-${String((number += 1))}`;
          executions.push({ id: executionId, agentId, documentId, organizationId, status });
          await tenant.ok('/v2/agents/execution/add', {
            executionId,
            agentId,
            documentId,
            organizationId,
            status,
            startedAt: (number * 7) % 11,
          });
        }
      }
    }
    await tenant.ok('/v2/agents/execution/add', { executionId: 'alone', agentId: 'a', status: 'passed' });
    executions.push({ id: 'alone', agentId: 'a', documentId: '', organizationId: '', status: 'passed' });
  });

  it.each(combinations.map((sent) => [sent.join(' + ') || 'none', sent] as const))(
    'holds: %s',
    async (_name, sent) => {
      const wanted = { agentId: 'a', status: 'passed', ...location };
      const filter = Object.fromEntries(sent.map((name) => [name, wanted[name]]));
      const expected = executions.filter((execution) =>
        sent.every((name) => execution[name] === wanted[name]),
      );
      const found = await all(tenant, { ...filter, pageSize: 2 });
      expect([...found].sort()).toEqual(expected.map(({ id }) => id).sort());
      expect(found).toEqual(await all(tenant, filter));
      expect(await all(tenant, { ...filter, pageSize: 2, orderDirection: 'asc' })).toEqual(found.reverse());
    },
  );

  it('returns no executions for a missing organization or document', async () => {
    for (const filter of [
      { organizationId: 'nowhere' },
      { organizationId: location.organizationId, documentId: 'nothing' },
      { documentId: 'nothing' },
      { agentId: 'nobody' },
    ]) {
      expect(await all(tenant, filter)).toEqual([]);
    }
  });

  it('returns nothing to another tenant', async () => {
    const stranger = await aTenant(api);
    expect(await all(stranger, { documentId: location.documentId })).toEqual([]);
    expect(await all(stranger, { organizationId: location.organizationId, agentId: 'a' })).toEqual([]);
  });
});

describe('a document id in many organizations', () => {
  it('is read across them in order and completely, beyond the number that one statement reads', async () => {
    const tenant = await aTenant(api);
    const documentId = freshId('document');
    await api.database.sql(
      `with o as (insert into organization (api_key_id, ext_id, name) select $1, 'o-' || n, 'x' from generate_series(1, 600) n returning id)
       insert into document (api_key_id, org_id, ext_id, name) select $1, id, $2, 'x' from o`,
      [tenant.id, documentId],
    );
    await fill(tenant, 4, { documents: documentId });
    const expected = await api.database.sql<{ ext_id: string }>(
      'select ext_id from agent_execution where api_key_id = $1 order by started_at desc, id desc',
      [tenant.id],
    );
    const ids = expected.map(({ ext_id }) => ext_id);
    expect(await all(tenant, { documentId, pageSize: 500 })).toEqual(ids);
    expect(await all(tenant, { documentId, pageSize: 500, orderDirection: 'asc' })).toEqual(
      [...ids].reverse(),
    );
    const first = await page(tenant, { documentId, pageSize: 5 });
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 5));
  });
});

describe('filters without an index of their own', () => {
  it('examine a bounded number of rows per page, and find all matches over several pages', async () => {
    const tenant = await aTenant(api);
    const organizationId = await anOrganization(tenant);
    const { documentId } = await aDocument(tenant, { organizationId });
    await fill(tenant, 45_000, { documents: documentId });
    await api.database.sql('analyze agent_execution');
    const rare = { organizationId, agentId: 'rare', status: 'failed' };
    const first = await page(tenant, rare);
    // No multiple of 100 has failed, so two pages of 20,000 rows are empty and have a cursor.
    expect([first.items.length, first.hasMore]).toEqual([0, true]);
    expect(await all(tenant, rare)).toEqual([]);
    // A generic plan, which a connection caches, must not join whole tables either.
    for (const data of [{}, rare, { documentId, agentId: 'rare' }]) {
      const sent = await statementsOf(async () => page(tenant, data));
      const listing = sent.find(({ text }) => text.includes('judged'));
      const plan = await api.database.sql<object>(`explain (generic_plan) ${listing?.text ?? ''}`);
      expect(JSON.stringify(plan)).not.toMatch(/Hash|Merge Join/);
    }
    const passed = { organizationId, agentId: 'rare', pageSize: 400 };
    expect(await all(tenant, passed)).toHaveLength(450);
    expect(await all(tenant, { documentId, agentId: 'rare', pageSize: 400 })).toHaveLength(450);
  });
});

describe('a cursor', () => {
  it('is bound to its filters, order and tenant, and may also be sent as pageToken', async () => {
    const tenant = await aTenant(api);
    await fill(tenant, 10);
    const { nextCursor, items } = await page(tenant, { pageSize: 3, agentId: 'usual' });
    const second = await page(tenant, { pageSize: 3, agentId: 'usual', cursor: nextCursor });
    const same = await page(tenant, { pageSize: 4, agentId: 'usual', pageToken: nextCursor });
    expect(same.items.slice(0, 3)).toEqual(second.items);
    expect(second.items[0]).not.toEqual(items[0]);
    const other = await aTenant(api);
    for (const [who, data] of [
      [tenant, { agentId: 'other' }],
      [tenant, {}],
      [tenant, { agentId: 'usual', orderDirection: 'asc' }],
      [tenant, { agentId: 'usual', status: 'passed' }],
      [other, { agentId: 'usual' }],
    ] as const) {
      const refusal = await who.refused(list, { ...data, cursor: nextCursor });
      expect([refusal.http, refusal.message]).toEqual([400, 'cursor is not valid.']);
    }
  });

  it('that the API did not issue is refused under the name of its member', async () => {
    const tenant = await aTenant(api);
    for (const token of ['', 'x', '🙂', 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']) {
      expect((await tenant.refused(list, { cursor: token })).message).toBe('cursor is not valid.');
      expect((await tenant.refused(list, { pageToken: token })).message).toBe('pageToken is not valid.');
    }
    const both = await tenant.refused(list, { cursor: 'a', pageToken: 'b' });
    expect([both.status, both.message]).toEqual([
      'INVALID_ARGUMENT',
      'cursor and pageToken exclude each other.',
    ]);
  });

  it.each<[object, string]>([
    [{ agentId: '' }, 'agentId must not be empty.'],
    [{ documentId: '' }, 'documentId must not be empty.'],
    [{ organizationId: '' }, 'organizationId must not be empty.'],
    [{ status: '' }, 'status must be one of: running, passed, failed, error, skipped.'],
    [{ orderDirection: 'up' }, 'orderDirection must be one of: asc, desc.'],
    [{ pageSize: 501 }, 'pageSize must be an integer from 1 to 500.'],
    [{ pageSize: 0 }, 'pageSize must be an integer from 1 to 500.'],
    [{ agentId: null }, 'agentId must not be null.'],
    [{ agent: 'a' }, 'Unknown member: agent.'],
  ])('%j is refused', async (data, message) => {
    const tenant = await aTenant(api);
    const refusal = await tenant.refused(list, data);
    expect([refusal.status, refusal.message]).toEqual(['INVALID_ARGUMENT', message]);
  });
});
