import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accessRecords } from '../../../domain/members/access-records.ts';
import type { RecordBatch, RecordCursor } from '../../../domain/documents/record-kind.ts';
import { readInIndexOrder } from '../../../platform/database/planner.ts';
import { startTestApi, type TestApi } from '../../support/api.ts';
import { aTenant, type TestTenant } from '../../support/factories.ts';
import { transacted } from '../../support/in-transaction.ts';
import { rowsRead, statementsOf } from '../../support/statements.ts';
import { somePeople } from '../../api/users-calls.ts';

/* 60 documents with 1,000 members each, and among them three with 3,000. */

let api: TestApi;
let tenant: TestTenant;
/** Surrogate keys of the three, ascending. */
let documents: readonly string[];

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  const { organizationId } = await somePeople(tenant);
  const made = await api.database.sql<{ id: string }>(
    `with o as (select id from organization where api_key_id = $1 and ext_id = $2),
       u as (insert into app_user (api_key_id, ext_id)
         select $1, 'u-' || lpad(n::text, 4, '0') from generate_series(1, 3000) n returning id, ext_id),
       d as (insert into document (api_key_id, org_id, ext_id, name)
         select $1, o.id, case when n % 20 = 10 then 'large-' else 'd-' end || n, 'x' from o, generate_series(1, 63) n
         returning id, org_id, ext_id),
       a as (insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
         select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from d, u
         where starts_with(d.ext_id, 'large') or u.ext_id <= 'u-1000')
     select id from d where starts_with(ext_id, 'large') order by id`,
    [tenant.id, organizationId],
  );
  documents = made.map(({ id }) => id);
  await api.database.sql('analyze');
});
afterAll(async () => api.close());

interface Step {
  readonly kind: 'count' | 'remove';
  readonly of: readonly string[];
  readonly after?: RecordCursor | null;
}

/** A batch as jobs take it. `undone`: rolled back, although the batch is returned. */
async function step({ kind, of, after = null }: Step, undone = false): Promise<RecordBatch | undefined> {
  let batch: RecordBatch | undefined;
  const taken = transacted(api.orm, async (em) => {
    await readInIndexOrder(em);
    batch = await accessRecords[kind](em, { tenantId: tenant.id, documents: of, after });
    if (undone) throw new Error('undone');
  });
  await (undone ? expect(taken).rejects.toThrow('undone') : taken);
  return batch;
}

const readBy = async (act: Step): Promise<number> =>
  rowsRead(api.database, await statementsOf(() => step(act, true)), 'access');

describe('memberships of documents', () => {
  it('are counted without a look at those of other documents', async () => {
    const count = { kind: 'count', of: documents.slice(0, 1) } as const;
    expect(await step(count)).toEqual({ records: 3_000, last: null });
    expect(await readBy(count)).toBe(3_000);
  });

  it('are removed in order, and a batch reads its rows and those of at most one document more', async () => {
    const [first, second] = documents;
    const remove = { kind: 'remove', of: documents } as const;
    // The batch deletes 5,000 rows, which it finds by key.
    expect(await readBy(remove)).toBeLessThanOrEqual(5_000 + 3_000 + 5_000);
    expect(await step(remove)).toEqual({ records: 5_000, last: [second, 'u-2000'] });
    const rest = { ...remove, after: [second ?? '', 'u-2000'] } as const;
    expect(await readBy(rest)).toBeLessThanOrEqual(4_000 + 4_000);
    // Passes over the first document, although one of its rows is back.
    await api.database.sql(
      `insert into access (user_id, kind, resource_id, api_key_id, org_id, user_ext, is_member)
       select u.id, 3, d.id, $1, d.org_id, u.ext_id, true from document d join app_user u on u.api_key_id = $1
       where d.id = $2 and u.ext_id = 'u-3000'`,
      [tenant.id, first],
    );
    expect(await step(rest)).toEqual({ records: 4_000, last: null });
    const left = await api.database.sql<{ resource_id: string; rows: number }>(
      `select case when resource_id = any($2) then resource_id else 0 end as resource_id, count(*)::integer as rows
       from access where kind = 3 and api_key_id = $1 group by 1 order by 1`,
      [tenant.id, documents],
    );
    expect(left).toEqual([
      { resource_id: '0', rows: 60_000 },
      { resource_id: first, rows: 1 },
    ]);
  });
});
