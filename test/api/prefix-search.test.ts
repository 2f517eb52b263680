import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { aTenant, type TestTenant } from '../support/factories.ts';
import { withLargeTables } from '../support/large-tables.ts';
import { explain, statementsOf } from '../support/statements.ts';

const api = await startTestApi();
afterAll(api.close);

interface Found {
  readonly id?: string;
  readonly userId?: string;
  readonly organizationId?: string;
  readonly organizationIds?: readonly string[];
}

const paths = {
  organizations: '/v2/organizations/search',
  documents: '/v2/organizations/documents/search',
  users: '/v2/users/search',
} as const;

/** Returns all records of a search, read in pages of `pageSize`. */
async function found(
  tenant: TestTenant,
  kind: keyof typeof paths,
  data: object,
  pageSize = 2,
): Promise<readonly Found[]> {
  const records: Found[] = [];
  let pageToken: string | undefined;
  do {
    const page = await tenant.ok(paths[kind], { ...data, pageSize, pageToken });
    records.push(...(page.data as readonly Found[]));
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined);
  return records;
}

const idsOf = async (...search: Parameters<typeof found>): Promise<readonly (string | undefined)[]> =>
  (await found(...search)).map(({ id, userId }) => id ?? userId);

const tenant = await aTenant(api);
const stranger = await aTenant(api);

beforeAll(async () => {
  for (const owner of [tenant, stranger]) {
    await owner.ok('/v2/organizations/add', {
      organizations: [
        { organizationId: 'acme', organizationName: 'Zeta' },
        { organizationId: 'acme-2' },
        { organizationId: 'Acme-3', organizationName: 'acme three' },
        { organizationId: 'x1', organizationName: 'ACME West', plan: 'gold' },
        { organizationId: 'x2', organizationName: 'Äcme' },
        { organizationId: '50%_', organizationName: '50%_ off' },
        { organizationId: '500', organizationName: 'plain' },
      ],
    });
    for (const organizationId of ['acme', 'x1']) {
      await owner.ok('/v2/organizations/documents/add', {
        organizationId,
        documents: [
          { documentId: 'plan', documentName: 'Budget' },
          { documentId: `${organizationId}-notes`, documentName: 'Plan of notes' },
        ],
      });
    }
    await owner.ok('/v2/users/add', {
      organizationId: 'acme',
      users: [
        { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' },
        { userId: 'u1', name: 'Byron', email: 'Ada.B@example.com' },
        { userId: 'u2', name: 'ADAM', email: 'first@example.com' },
        { userId: 'u3', name: 'Eve', email: 'eve@example.com' },
      ],
    });
  }
  await tenant.ok('/v2/users/add', { organizationId: 'x1', users: [{ userId: 'ada' }] });
});

describe('a search by prefix', () => {
  it('finds ids by bytes in their order, then names in any letter case in theirs', async () => {
    expect(await idsOf(tenant, 'organizations', { prefix: 'acme' })).toEqual([
      'acme',
      'acme-2',
      'Acme-3',
      'x1',
    ]);
    expect(await idsOf(tenant, 'organizations', { prefix: 'Acme' })).toEqual(['Acme-3', 'x1', 'acme-2']);
    expect(await idsOf(tenant, 'organizations', { prefix: 'zETA' })).toEqual(['acme']);
  });

  it('treats pattern characters literally', async () => {
    expect(await idsOf(tenant, 'organizations', { prefix: '50%_' })).toEqual(['50%_']);
    expect(await idsOf(tenant, 'organizations', { prefix: '50' })).toEqual(['50%_', '500']);
    expect(await idsOf(tenant, 'organizations', { prefix: '%' })).toEqual([]);
    expect(await idsOf(tenant, 'organizations', { prefix: "'; drop" })).toEqual([]);
  });

  it('finds ids and names with the greatest characters', async () => {
    const greatest = '\u{10ffff}'.repeat(3);
    const owner = await aTenant(api);
    await owner.ok('/v2/organizations/add', {
      organizations: [
        { organizationId: `a${greatest}z` },
        { organizationId: 'b', organizationName: `a${greatest}` },
      ],
    });
    expect(await idsOf(owner, 'organizations', { prefix: 'a' })).toEqual([`a${greatest}z`, 'b']);
  });

  it('returns organizations with their metadata', async () => {
    const [west] = await found(tenant, 'organizations', { prefix: 'ACME w' });
    expect(west).toEqual({ id: 'x1', organizationName: 'ACME West', disabled: false, plan: 'gold' });
  });

  it('finds documents of every organization, or of one', async () => {
    const all = await found(tenant, 'documents', { prefix: 'plan' });
    expect(all.map(({ id, organizationId }) => [organizationId, id])).toEqual([
      ['acme', 'plan'],
      ['x1', 'plan'],
      ['acme', 'acme-notes'],
      ['x1', 'x1-notes'],
    ]);
    expect(await idsOf(tenant, 'documents', { prefix: 'plan', organizationId: 'x1' })).toEqual([
      'plan',
      'x1-notes',
    ]);
    expect(await tenant.refused(paths.documents, { prefix: 'p', organizationId: 'none' })).toMatchObject({
      status: 'NOT_FOUND',
    });
  });

  it('finds no document of a deleted folder or organization', async () => {
    const owner = await aTenant(api);
    await owner.ok('/v2/organizations/add', {
      organizations: [{ organizationId: 'o' }, { organizationId: 'p' }],
    });
    await owner.ok('/v2/organizations/folders/add', { organizationId: 'o', folders: [{ folderId: 'f' }] });
    await owner.ok('/v2/organizations/documents/add', {
      organizationId: 'o',
      folderId: 'f',
      documents: [{ documentId: 'doc-1' }],
    });
    await owner.ok('/v2/organizations/documents/add', {
      organizationId: 'p',
      documents: [{ documentId: 'doc-2' }],
    });
    expect(await idsOf(owner, 'documents', { prefix: 'doc' })).toEqual(['doc-1', 'doc-2']);
    await owner.ok('/v2/organizations/folders/delete', { organizationId: 'o', folderId: 'f' });
    await owner.ok('/v2/organizations/delete', { organizationIds: ['p'] });
    expect(await idsOf(owner, 'documents', { prefix: 'doc' })).toEqual([]);
    expect(await idsOf(owner, 'organizations', { prefix: 'p' })).toEqual([]);
  });

  it('finds users by id, then by e-mail address, then by name, each once', async () => {
    expect(await found(tenant, 'users', { prefix: 'ada' })).toEqual([
      { userId: 'ada', name: 'Ada Lovelace', email: 'ada@example.com', organizationIds: ['acme', 'x1'] },
      { userId: 'u1', name: 'Byron', email: 'Ada.B@example.com', organizationIds: ['acme'] },
      { userId: 'u2', name: 'ADAM', email: 'first@example.com', organizationIds: ['acme'] },
    ]);
  });

  it('lists 20 organizations of a user, however many older ones were just deleted', async () => {
    const owner = await aTenant(api);
    const organizationIds = Array.from({ length: 45 }, (_, n) => `o-${String(n + 10)}`);
    for (const organizationId of organizationIds)
      await owner.ok('/v2/users/add', { organizationId, createOrganization: true, users: [{ userId: 'u' }] });
    expect(await found(owner, 'users', { prefix: 'u' })).toMatchObject([
      { organizationIds: organizationIds.slice(0, 20) },
    ]);
    const [deleted, left] = [organizationIds.slice(0, 21), organizationIds.slice(21)];
    await owner.ok('/v2/organizations/delete', { organizationIds: deleted });
    expect(await found(owner, 'users', { prefix: 'u' })).toMatchObject([
      { organizationIds: left.slice(0, 20) },
    ]);
  });

  it('finds users by name whose address release 0.2.0 stored in their rows alone', async () => {
    const owner = await aTenant(api);
    await owner.ok('/v2/organizations/add', { organizations: [{ organizationId: 'o' }] });
    const users = [{ userId: 'u', name: 'Ada', email: 'ada@example.com' }];
    await owner.ok('/v2/users/add', { organizationId: 'o', users });
    await api.database.sql('delete from user_address where api_key_id = $1', [owner.id]);
    expect(await idsOf(owner, 'users', { prefix: 'ada' })).toEqual(['u']);
  });

  it('finds no former e-mail address', async () => {
    const owner = await aTenant(api);
    await owner.ok('/v2/organizations/add', { organizations: [{ organizationId: 'o' }] });
    await owner.ok('/v2/users/add', {
      organizationId: 'o',
      users: [{ userId: 'u', email: 'old@example.com' }],
    });
    await owner.ok('/v2/users/update', {
      organizationId: 'o',
      users: [{ userId: 'u', email: 'new@example.com' }],
    });
    expect(await idsOf(owner, 'users', { prefix: 'old@' })).toEqual([]);
    expect(await idsOf(owner, 'users', { prefix: 'NEW@' })).toEqual(['u']);
  });

  it('finds the same records in pages of any size', async () => {
    for (const [kind, prefix] of [
      ['organizations', 'a'],
      ['documents', 'p'],
      ['users', 'a'],
    ] as const) {
      const whole = await found(tenant, kind, { prefix }, 100);
      expect(whole.length).toBeGreaterThan(2);
      expect(await found(tenant, kind, { prefix }, 1)).toEqual(whole);
    }
  });

  it('ends a page after 20,000 rows that do not match, and continues there', async () => {
    const owner = await aTenant(api);
    await owner.ok('/v2/organizations/add', {
      organizations: [{ organizationId: 'gone' }, { organizationId: 'kept' }],
    });
    await owner.ok('/v2/organizations/documents/add', {
      organizationId: 'kept',
      documents: [{ documentId: 'doc-z' }],
    });
    await api.database.sql(
      `insert into document (api_key_id, org_id, ext_id, name)
         select $1, o.id, 'doc-' || n, 'x' from organization o, generate_series(1, 20100) n
         where o.api_key_id = $1 and o.ext_id = 'gone'`,
      [owner.id],
    );
    await api.database.sql(
      `update organization set ext_id = null, deleted_at = now() where api_key_id = $1 and ext_id = 'gone'`,
      [owner.id],
    );
    const first = await owner.ok(paths.documents, { prefix: 'doc-' });
    expect(first.data).toEqual([]);
    const second = await owner.ok(paths.documents, { prefix: 'doc-', pageToken: first.nextPageToken });
    expect(second.data).toMatchObject([{ id: 'doc-z' }]);
    expect(second.nextPageToken).toBeUndefined();
  });

  it('uses an index that begins with the key for each step in a large installation', async () => {
    const owner = await aTenant(api);
    await withLargeTables(api.database, owner.id, [
      'organization',
      'folder',
      'document',
      'app_user',
      'access',
    ]);
    for (const [kind, data] of [
      ['organizations', {}],
      ['documents', {}],
      ['documents', { organizationId: 'filler-1' }],
      ['users', {}],
    ] as const) {
      const first = await owner.ok(paths[kind], { ...data, prefix: 'filler-1', pageSize: 1 });
      const sent = await statementsOf(async () => {
        await owner.ok(paths[kind], { ...data, prefix: 'filler-1', pageSize: 1 });
        await owner.ok(paths[kind], {
          ...data,
          prefix: 'filler-1',
          pageSize: 1,
          pageToken: first.nextPageToken,
        });
      });
      const searches = sent.filter(({ text }) => text.includes('examined'));
      expect(searches).toHaveLength(2);
      for (const statement of searches) {
        const { wholeTables, conditions } = await explain(api.database, statement, [
          'enable_bitmapscan',
          'enable_hashjoin',
          'enable_mergejoin',
          'enable_sort',
        ]);
        expect([kind, wholeTables]).toEqual([kind, []]);
        // Both ends of the prefix bound the range that is read.
        const ranges = conditions.filter((condition) => condition.includes('>=') && condition.includes('<='));
        expect(ranges).toHaveLength(kind === 'users' ? 3 : 2);
      }
    }
  });

  it.each([[''], ['x'.repeat(101)], [1], [undefined]])('rejects the prefix %j', async (prefix) => {
    for (const path of Object.values(paths))
      expect(await tenant.refused(path, { prefix })).toMatchObject({ status: 'INVALID_ARGUMENT' });
  });
});
