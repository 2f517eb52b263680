import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, anOrganization, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

async function readAll(): Promise<unknown> {
  return (await tenant.ok('/v1/organizations/get', {})).data;
}

describe('organizations', () => {
  beforeAll(async () => {
    tenant = await aTenant(api);
  });

  it('are added with free metadata, named by their id when they have no name', async () => {
    const result = await tenant.ok('/v2/organizations/add', {
      organizations: [
        { organizationId: 'acme', organizationName: 'Acme', plan: 'gold', seats: { sold: 3 } },
        { organizationId: 'bare' },
      ],
    });
    expect(result).toEqual({
      status: 'success',
      message: 'Organization(s) added successfully.',
      data: {
        acme: { success: true, id: 'acme', message: 'Added Successfully' },
        bare: { success: true, id: 'bare', message: 'Added Successfully' },
      },
      failedCount: 0,
    });
    expect(await readAll()).toEqual([
      { id: 'acme', organizationName: 'Acme', disabled: false, plan: 'gold', seats: { sold: 3 } },
      { id: 'bare', organizationName: 'bare', disabled: false },
    ]);
  });

  it('are updated when they are added again: names kept, metadata merged, null members removed', async () => {
    await tenant.ok('/v1/organizations/add', {
      organizations: [{ organizationId: 'acme', plan: null, region: 'eu' }],
    });
    const [acme] = (await readAll()) as unknown[];
    expect(acme).toEqual({
      id: 'acme',
      organizationName: 'Acme',
      disabled: false,
      region: 'eu',
      seats: { sold: 3 },
    });
  });

  it('are returned by id in the order requested, without unknown ones', async () => {
    const { data, message } = await tenant.ok<{ id: string }[]>('/v1/organizations/get', {
      organizationIds: ['bare', 'nobody', 'acme', 'bare'],
    });
    expect(message).toBe('Organization(s) retrieved successfully.');
    expect(data.map(({ id }) => id)).toEqual(['bare', 'acme']);
  });

  it('are updated, and only an unknown one fails', async () => {
    const result = await tenant.ok('/v2/organizations/update', {
      organizations: [{ organizationId: 'bare', organizationName: 'Bare' }, { organizationId: 'nobody' }],
    });
    expect(result.failedCount).toBe(1);
    expect(result.data).toEqual({
      bare: { success: true, id: 'bare', message: 'Updated Successfully' },
      nobody: {
        success: false,
        id: 'nobody',
        message: 'Organization does not exist',
        code: 'not-found',
      },
    });
  });

  it('are disabled and re-enabled, and only an unknown one fails unless the flag creates it', async () => {
    const path = '/v1/organizations/access/disablestate/update';
    const refused = await tenant.ok(path, { organizationIds: ['bare', 'nobody'], disabled: true });
    expect(refused).toEqual({
      status: 'success',
      message: 'Updated disable state for Organization(s) successfully.',
      data: {
        bare: {
          success: true,
          id: 'bare',
          message: 'Updated disable state for organization Successfully',
        },
        nobody: {
          success: false,
          id: 'nobody',
          message: 'Organization does not exist',
          code: 'not-found',
        },
      },
      failedCount: 1,
    });
    await tenant.ok(path, { organizationIds: ['made'], disabled: true, createOrganization: true });
    const { data } = await tenant.ok('/v2/organizations/get', { organizationIds: ['bare', 'made'] });
    expect(data).toMatchObject([
      { id: 'bare', disabled: true },
      { id: 'made', organizationName: 'made', disabled: true },
    ]);
  });

  it('keep every id byte for byte', async () => {
    const ids = [
      '../a/b?c#d',
      '100%25',
      `it's "quoted"`,
      '👩‍🚀',
      ' lead and trail ',
      'constructor',
      '__proto__',
      'root',
      'x'.repeat(1_000),
      'é'.repeat(500),
      'e\u0301',
      '\u00e9',
    ];
    const organizations = ids.map((organizationId) => ({ organizationId }));
    const added = await tenant.ok<Record<string, unknown>>('/v2/organizations/add', { organizations });
    expect(Object.keys(added.data).toSorted()).toEqual(ids.toSorted());
    const { data } = await tenant.ok<{ id: string }[]>('/v2/organizations/get', { organizationIds: ids });
    expect(data.map(({ id }) => id)).toEqual(ids);
  });

  it.each([
    [{ organizations: [] }, 'organizations must hold 1 to 1000 items, not 0.'],
    [{}, 'organizations is required.'],
    [{ organizations: [{ organizationId: '' }] }, 'organizations[0].organizationId must not be empty.'],
    [
      { organizations: [{ organizationId: 'é'.repeat(501) }] },
      'organizations[0].organizationId must be at most 1000 bytes.',
    ],
    [
      { organizations: [{ organizationId: 'a\u0007' }] },
      'organizations[0].organizationId must not contain control characters.',
    ],
    [
      { organizations: [{ organizationId: 'a', disabled: true }] },
      'Unknown member: organizations[0].disabled.',
    ],
    [{ organizations: [{ organizationId: 'a', $set: 1 }] }, 'Unknown member: organizations[0].$set.'],
    [
      { organizations: [{ organizationId: 'a', note: 'x'.repeat(16_400) }] },
      'organizations[0] must hold at most 16 KiB of free metadata.',
    ],
  ])('are rejected when the request is %j', async (data, message) => {
    const before = await readAll();
    const refusal = await tenant.refused('/v2/organizations/add', data);
    expect([refusal.http, refusal.status, refusal.message]).toEqual([400, 'INVALID_ARGUMENT', message]);
    expect(await readAll()).toEqual(before);
  });

  it('are read by at most 30 ids or by page, not both', async () => {
    const many = await tenant.refused('/v1/organizations/get', {
      organizationIds: Array.from({ length: 31 }, (_, number) => `o${String(number)}`),
    });
    expect(many.message).toBe('organizationIds must hold 1 to 30 items, not 31.');
    const both = await tenant.refused('/v2/organizations/get', { organizationIds: ['a'], pageToken: 'x' });
    expect(both.message).toBe('organizationIds and pageToken exclude each other.');
  });
});

describe('deleting organizations', () => {
  it('hides them and everything below at once, makes their ids reusable, and returns the job that removes the rows', async () => {
    const owner = await aTenant(api);
    const document = await aDocument(owner);
    const result = await owner.ok<Record<string, unknown>>('/v2/organizations/delete', {
      organizationIds: [document.organizationId, 'nobody'],
    });
    expect(result).toEqual({
      status: 'success',
      message: 'Organization(s) deleted successfully.',
      data: {
        [document.organizationId]: {
          success: true,
          id: document.organizationId,
          message: 'Deleted Successfully',
        },
        nobody: {
          success: false,
          id: 'nobody',
          message: 'Organization does not exist',
          code: 'not-found',
        },
      },
      failedCount: 1,
      jobId: expect.stringMatching(/^job_/),
    });
    const gone = await owner.refused('/v1/organizations/documents/get', {
      organizationId: document.organizationId,
    });
    expect([gone.status, gone.message]).toEqual(['NOT_FOUND', 'Organization does not exist']);
    await anOrganization(owner, { organizationId: document.organizationId });
    const { data } = await owner.ok('/v2/organizations/documents/get', {
      organizationId: document.organizationId,
    });
    expect(data).toEqual([]);
  });

  it('creates no job when there is nothing to delete', async () => {
    const owner = await aTenant(api);
    const result = await owner.ok('/v1/organizations/delete', { organizationIds: ['nobody'] });
    expect(result.jobId).toBeUndefined();
  });
});

describe('statements about organizations', () => {
  it('do not grow in number with the batch, and find rows by an index', async () => {
    const owner = await aTenant(api);
    const batch = (count: number): object => ({
      organizations: Array.from({ length: count }, () => ({ organizationId: freshId('organization') })),
    });
    await owner.ok('/v2/organizations/add', batch(1));
    const one = await statementsOf(() => owner.ok('/v2/organizations/add', batch(1)));
    const thousand = await statementsOf(() => owner.ok('/v2/organizations/add', batch(1_000)));
    expect(thousand).toHaveLength(one.length);
    const reads = await statementsOf(async () => {
      await owner.ok('/v2/organizations/get', { organizationIds: ['a', 'b'] });
      await owner.ok('/v2/organizations/get', { pageSize: 10 });
      await owner.ok('/v2/organizations/update', { organizations: [{ organizationId: 'a' }] });
    });
    for (const statement of reads.filter(({ values }) => values.length > 0)) {
      expect((await explain(api.database, statement)).wholeTables).toEqual([]);
    }
  });
});

describe('an organization with more metadata than this release stores', () => {
  it.each(['/v1', '/v2'])('is returned by id on %s, beside others', async (version) => {
    const own = await aTenant(api);
    await own.ok('/v2/organizations/add', {
      organizations: ['first', 'large', 'last'].map((organizationId) => ({ organizationId })),
    });
    // Random, so that PostgreSQL cannot compress it.
    await api.database.sql(
      `update organization set metadata = jsonb_build_object('text',
         (select string_agg(sha512((n::text || random()::text)::bytea)::text, '') from generate_series(1, 20000) n))
       where api_key_id = $1 and ext_id = 'large'`,
      [own.id],
    );
    const organizationIds = ['last', 'large', 'first'];
    const { data } = await own.ok<{ id: string; text?: string }[]>(`${version}/organizations/get`, {
      organizationIds,
    });
    expect(data.map(({ id }) => id)).toEqual(organizationIds);
    expect(data[1]?.text).toHaveLength(20_000 * 130);
  });
});
