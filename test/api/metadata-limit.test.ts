import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { anOrganization, aTenant, freshId, type TestTenant } from '../support/factories.ts';

let api: TestApi;
let tenant: TestTenant;
let organizationId: string;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
  organizationId = await anOrganization(tenant);
});
afterAll(async () => api.close());

const limit = 65_536;
const tooLarge = {
  success: false,
  message: 'A record holds at most 64 KiB of free metadata. Send members as null to remove them.',
  code: 'invalid-argument',
};

interface Kind {
  readonly kind: string;
  readonly table: string;
  readonly list: string;
  readonly id: string;
  readonly name: string;
  readonly add: string;
  /** Calls that merge metadata. */
  readonly merging: readonly string[];
}

const kinds: readonly Kind[] = [
  {
    kind: 'organization',
    table: 'organization',
    list: 'organizations',
    id: 'organizationId',
    name: 'organizationName',
    add: 'organizations/add',
    merging: ['organizations/update', 'organizations/add'],
  },
  {
    kind: 'folder',
    table: 'folder',
    list: 'folders',
    id: 'folderId',
    name: 'folderName',
    add: 'organizations/folders/add',
    merging: ['organizations/folders/update'],
  },
  {
    kind: 'document',
    table: 'document',
    list: 'documents',
    id: 'documentId',
    name: 'documentName',
    add: 'organizations/documents/add',
    merging: ['organizations/documents/update'],
  },
  {
    kind: 'user',
    table: 'app_user',
    list: 'users',
    id: 'userId',
    name: 'name',
    add: 'users/add',
    merging: ['users/update', 'users/add'],
  },
];

type Items = Readonly<Record<string, { readonly success: boolean }>>;

const send = async (kind: Kind, path: string, records: readonly object[]) => {
  const of = kind.kind === 'organization' ? {} : { organizationId };
  return (await tenant.ok<Items>(`/v2/${path}`, { ...of, [kind.list]: records })).data;
};

interface Stored {
  readonly name: string;
  readonly bytes: number;
  readonly updated_at: Date;
}

const stored = async ({ table }: Kind, id: string): Promise<Stored | undefined> => {
  const [row] = await api.database.sql<Stored>(
    `select name, octet_length(metadata::text) as bytes, updated_at from ${table} where api_key_id = $1 and ext_id = $2`,
    [tenant.id, id],
  );
  return row;
};

/** Adds a record with the name `before` and stored metadata `{"fill": "xxx"}` of so many bytes. */
async function aRecord(kind: Kind, bytes: number): Promise<string> {
  const id = freshId(kind.kind);
  await send(kind, kind.add, [{ [kind.id]: id, [kind.name]: 'before' }]);
  await api.database.sql(
    `update ${kind.table} set metadata = jsonb_build_object('fill', repeat('x', $3)) where api_key_id = $1 and ext_id = $2`,
    [tenant.id, id, bytes - '{"fill": ""}'.length],
  );
  expect((await stored(kind, id))?.bytes).toBe(bytes);
  return id;
}

/** Bytes that the member `more` adds to other members. */
const bytesOfMore = ', "more": ""'.length;

describe.each(kinds)('the metadata of a $kind', (kind) => {
  it.each(kind.merging)('takes 64 KiB by %s, and one byte more fails alone', async (path) => {
    const sent = 1_000;
    const before = limit - bytesOfMore - sent;
    const [full, beyond, other] = [
      await aRecord(kind, before),
      await aRecord(kind, before + 1),
      await aRecord(kind, 20),
    ];
    const unchanged = await stored(kind, beyond);
    const more = { more: 'y'.repeat(sent), [kind.name]: 'after' };
    const items = await send(
      kind,
      path,
      [full, beyond, other].map((id) => ({ [kind.id]: id, ...more })),
    );
    expect(items).toMatchObject({ [full]: { success: true }, [other]: { success: true } });
    expect(items[beyond]).toEqual({ ...tooLarge, id: beyond });
    expect(await stored(kind, full)).toMatchObject({ name: 'after', bytes: limit });
    expect(await stored(kind, other)).toMatchObject({ name: 'after' });
    expect(await stored(kind, beyond)).toEqual(unchanged);
  });

  it.each(kind.merging)('that exceeds 64 KiB may stay or shrink by %s, but not grow', async (path) => {
    const id = await aRecord(kind, 2 * limit);
    const update = async (members: object) => (await send(kind, path, [{ [kind.id]: id, ...members }]))[id];
    expect(await update({ [kind.name]: 'after' })).toMatchObject({ success: true });
    expect(await update({ more: 'y' })).toEqual({ ...tooLarge, id });
    expect(await stored(kind, id)).toMatchObject({ name: 'after', bytes: 2 * limit });
    await api.database.sql(
      `update ${kind.table} set metadata = metadata || '{"more": "yy"}' where api_key_id = $1 and ext_id = $2`,
      [tenant.id, id],
    );
    expect(await update({ more: 'zz' })).toMatchObject({ success: true });
    expect(await update({ more: null })).toMatchObject({ success: true });
    expect(await stored(kind, id)).toMatchObject({ bytes: 2 * limit });
    expect(await update({ fill: null, more: 'y' })).toMatchObject({ success: true });
    expect((await stored(kind, id))?.bytes).toBe('{"more": "y"}'.length);
  });

  it('stays within 64 KiB in concurrent updates, of which those that fit succeed', async () => {
    const sent = 10_000;
    // Room for three of eight.
    const id = await aRecord(kind, limit - 35_000);
    const [path = ''] = kind.merging;
    const items = await Promise.all(
      Array.from({ length: 8 }, async (_, at) => {
        const member = `member${String(at)}`;
        return (await send(kind, path, [{ [kind.id]: id, [member]: 'y'.repeat(sent) }]))[id];
      }),
    );
    expect(items.filter((item) => item?.success === true)).toHaveLength(3);
    for (const item of items) if (item?.success !== true) expect(item).toEqual({ ...tooLarge, id });
    expect((await stored(kind, id))?.bytes).toBeLessThanOrEqual(limit);
  });

  it('counts numbers as they are stored, so that a new record is within the limit', async () => {
    const requestWith = (count: number) => ({
      ...(kind.kind === 'organization' ? {} : { organizationId }),
      [kind.list]: [{ [kind.id]: freshId(kind.kind), numbers: Array.from({ length: count }, () => 1e300) }],
    });
    const { message } = await tenant.refused(`/v2/${kind.add}`, requestWith(60));
    expect(message).toContain('must hold at most 16 KiB of free metadata.');
    await tenant.ok(`/v2/${kind.add}`, requestWith(50));
  });
});

describe('an update beyond 64 KiB', () => {
  const [, folder, document, user] = kinds;

  it('of a folder neither moves it nor affects the moves after it', async () => {
    if (folder === undefined) return;
    const id = await aRecord(folder, limit);
    const parent = freshId('folder');
    await send(folder, folder.add, [{ folderId: parent }]);
    const items = await send(folder, 'organizations/folders/update', [
      { folderId: id, parentFolderId: parent, more: 'y' },
      { folderId: parent, parentFolderId: id },
    ]);
    expect(items).toMatchObject({ [id]: tooLarge, [parent]: { success: true } });
  });

  it('of a document succeeds when it replaces the metadata', async () => {
    if (document === undefined) return;
    const id = await aRecord(document, 2 * limit);
    const request = { organizationId, merge: false, documents: [{ documentId: id, more: 'y' }] };
    const { data } = await tenant.ok<Items>('/v2/organizations/documents/update', request);
    expect(data[id]).toMatchObject({ success: true });
    expect((await stored(document, id))?.bytes).toBe('{"more": "y"}'.length);
  });

  it('of a user makes them no member, gives them no role, and differs from an unknown user', async () => {
    if (user === undefined) return;
    const id = await aRecord(user, limit);
    const level = { organizationId: await anOrganization(tenant) };
    const more = { userId: id, more: 'y' };
    const added = await tenant.ok<Items>('/v2/users/add', { ...level, users: [more] });
    expect(added.data).toEqual({ [id]: { ...tooLarge, id } });
    const members = await tenant.ok<readonly unknown[]>('/v2/users/get', level);
    expect(members.data).toEqual([]);
    const updated = await send(user, 'users/update', [
      { ...more, accessRole: 'viewer' },
      { userId: 'nobody', more: 'y' },
    ]);
    expect(updated).toMatchObject({ [id]: tooLarge, nobody: { code: 'not-found' } });
    const [{ member_role: role } = { member_role: 0 }] = await api.database.sql<{
      member_role: number | null;
    }>('select a.member_role from access a where a.api_key_id = $1 and a.user_ext = $2', [tenant.id, id]);
    expect(role).toBeNull();
  });
});
