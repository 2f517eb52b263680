import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { aFolder, anOrganization, aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { explain, statementsOf } from '../support/statements.ts';

let api: TestApi;
let tenant: TestTenant;
let organizationId: string;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());
beforeEach(async () => {
  organizationId = await anOrganization(tenant);
});

const at = (operation: string): string => `/v2/organizations/documents/${operation}`;

async function add(documents: readonly object[], more: object = {}) {
  return tenant.ok<Record<string, unknown>>(at('add'), { organizationId, documents, ...more });
}

async function read(more: object = {}) {
  return (
    await tenant.ok<Record<string, unknown>[]>('/v1/organizations/documents/get', { organizationId, ...more })
  ).data;
}

describe('documents', () => {
  it('are added at the top level or in a folder, and return their effective access type', async () => {
    const { folderId } = await aFolder(tenant, { organizationId, accessType: 'restricted' });
    const result = await add([
      { documentId: 'plan', documentName: 'Plan', tags: ['a'] },
      { documentId: 'bare' },
    ]);
    expect(result).toEqual({
      status: 'success',
      message: 'Document(s) added successfully.',
      data: {
        plan: { success: true, id: 'plan', message: 'Added Successfully' },
        bare: { success: true, id: 'bare', message: 'Added Successfully' },
      },
      failedCount: 0,
    });
    await add([{ documentId: 'inside' }], { folderId });
    const common = { disabled: false, inheritAccess: true };
    expect(await read()).toEqual([
      { ...common, id: 'bare', documentName: 'bare', accessType: 'public', folderId: 'root' },
      { ...common, id: 'inside', documentName: 'inside', accessType: 'restricted', folderId },
      { ...common, id: 'plan', documentName: 'Plan', accessType: 'public', folderId: 'root', tags: ['a'] },
    ]);
  });

  it('are added once under ids with any characters', async () => {
    const ids = ['__proto__', 'constructor', '"\\', '[null]', 'é🙂', '7'];
    const outcomesOf = async (documentIds: readonly string[]) =>
      new Map(Object.entries((await add(documentIds.map((documentId) => ({ documentId })))).data));
    const first = await outcomesOf(ids);
    expect([...first.keys()].sort()).toEqual([...ids].sort());
    for (const id of ids) expect(first.get(id)).toEqual({ success: true, id, message: 'Added Successfully' });
    const second = await outcomesOf([...ids, 'new']);
    expect(second.get('new')).toEqual({ success: true, id: 'new', message: 'Added Successfully' });
    for (const id of ids)
      expect(second.get(id)).toEqual({
        success: false,
        id,
        message: 'Document already exists',
        code: 'already-exists',
      });
  });

  it('have no pages when documentIds is sent', async () => {
    const issues = async (more: object) =>
      issuesOf(await tenant.refused(at('get'), { organizationId, documentIds: ['a'], ...more }));
    expect(await issues({ pageToken: 'any' })).toEqual({
      'data.documentIds': 'documentIds and pageToken exclude each other.',
    });
    const documents = [{ documentId: 'a' }, { documentId: 'b' }];
    await tenant.ok(at('add'), { organizationId, documents });
    const whole = await tenant.ok(at('get'), { organizationId, documentIds: ['a', 'b'], pageSize: 1 });
    expect(whole).toMatchObject({ data: [{ id: 'a' }, { id: 'b' }] });
    expect(whole.nextPageToken).toBeUndefined();
  });

  it('fail individually when they are added again', async () => {
    await add([{ documentId: 'plan' }]);
    const again = await add([{ documentId: 'plan', documentName: 'Other' }, { documentId: 'next' }]);
    expect(again.failedCount).toBe(1);
    expect(again.data['plan']).toEqual({
      success: false,
      id: 'plan',
      message: 'Document already exists',
      code: 'already-exists',
    });
    expect(await read({ documentIds: ['plan'] })).toMatchObject([{ documentName: 'plan' }]);
  });

  it('require their organization and folder unless a flag creates them', async () => {
    const organization = freshId('organization');
    const documents = [{ documentId: 'd' }];
    const refused = await tenant.refused(at('add'), { organizationId: organization, documents });
    expect([refused.http, refused.message]).toEqual([
      404,
      'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
    ]);
    const noFolder = await tenant.refused(at('add'), { organizationId, documents, folderId: 'nowhere' });
    expect(noFolder.message).toBe(
      'Folder does not exist. Add it with POST /v2/organizations/folders/add or send createFolder: true.',
    );
    await tenant.ok(at('add'), {
      organizationId: organization,
      documents,
      folderId: 'made',
      createOrganization: true,
      createFolder: true,
    });
    const { data } = await tenant.ok(at('get'), { organizationId: organization, folderId: 'made' });
    expect(data).toMatchObject([{ id: 'd', folderId: 'made' }]);
  });

  it('are updated in names and access types, with metadata merged or replaced', async () => {
    await add([{ documentId: 'plan', a: 1, b: 2 }]);
    const merged = await tenant.ok(at('update'), {
      organizationId,
      documents: [{ documentId: 'plan', documentName: 'Plan', a: null, c: 3 }, { documentId: 'nobody' }],
    });
    expect(merged).toEqual({
      status: 'success',
      message: 'Document(s) updated successfully.',
      data: {
        plan: { success: true, id: 'plan', message: 'Updated Successfully' },
        nobody: { success: false, id: 'nobody', message: 'Document does not exist', code: 'not-found' },
      },
      failedCount: 1,
    });
    expect(await read()).toEqual([expect.objectContaining({ documentName: 'Plan', b: 2, c: 3 })]);
    await tenant.ok(at('update'), {
      organizationId,
      documents: [{ documentId: 'plan', accessType: 'organizationPrivate', only: true }],
      merge: false,
    });
    expect(await read()).toEqual([
      {
        id: 'plan',
        documentName: 'Plan',
        disabled: false,
        accessType: 'organizationPrivate',
        inheritAccess: false,
        folderId: 'root',
        only: true,
      },
    ]);
  });

  it('are moved all or nothing, and inherit the access of their new folder at once', async () => {
    const { folderId } = await aFolder(tenant, { organizationId, accessType: 'restricted' });
    await add([{ documentId: 'a' }, { documentId: 'b' }]);
    const refused = await tenant.refused(at('move'), {
      organizationId,
      documentIds: ['a', 'nobody'],
      folderId,
    });
    expect([refused.http, refused.message, refused.details['documentIds']]).toEqual([
      404,
      'Document does not exist',
      ['nobody'],
    ]);
    expect(await read({ folderId })).toEqual([]);
    const moved = await tenant.ok(at('move'), { organizationId, documentIds: ['a', 'b'], folderId });
    expect(moved).toEqual({ status: 'success', message: 'Documents moved successfully.' });
    expect(await read({ folderId })).toMatchObject([
      { id: 'a', accessType: 'restricted' },
      { id: 'b', accessType: 'restricted' },
    ]);
    await tenant.ok(at('move'), { organizationId, documentIds: ['a'], folderId: 'root' });
    expect(await read({ folderId: 'root' })).toMatchObject([{ id: 'a', accessType: 'public' }]);
    const many = await tenant.refused(at('move'), {
      organizationId,
      documentIds: Array.from({ length: 31 }, () => 'a'),
      folderId,
    });
    expect(many.message).toBe('documentIds must hold 1 to 30 items, not 31.');
  });

  it('accept their own access type, and inherit again', async () => {
    await add([{ documentId: 'plan' }]);
    const set = await tenant.ok(at('access/update'), {
      organizationId,
      documentIds: ['plan', 'nobody'],
      accessType: 'restricted',
    });
    expect(set).toEqual({
      status: 'success',
      message: 'Updated access for documents successfully.',
      data: {
        plan: {
          success: true,
          id: 'plan',
          accessType: 'restricted',
          message: 'Document access type updated.',
        },
        nobody: { success: false, id: 'nobody', message: 'Document does not exist', code: 'not-found' },
      },
      failedCount: 1,
    });
    await tenant.ok(at('access/update'), { organizationId, documentIds: ['plan'], inheritAccess: true });
    expect(await read()).toMatchObject([{ accessType: 'public', inheritAccess: true }]);
    const both = await tenant.refused(at('access/update'), {
      organizationId,
      documentIds: ['plan'],
      accessType: 'public',
      inheritAccess: true,
    });
    expect(both.http).toBe(400);
    const v1 = await tenant.call('/v1/organizations/documents/access/update', {
      organizationId,
      documentIds: ['plan'],
      accessType: 'public',
      inheritAccess: true,
    });
    expect([v1.status, v1.headers['x-ignored-members']]).toEqual([200, 'inheritAccess']);
  });

  it('are disabled and re-enabled, but never created by disablestate', async () => {
    await add([{ documentId: 'plan' }]);
    const set = await tenant.ok(at('access/disablestate/update'), {
      organizationId,
      documentIds: ['plan', 'nobody'],
      disabled: true,
    });
    expect(set).toEqual({
      status: 'success',
      message: 'Updated disable state for Document(s) successfully.',
      data: {
        plan: { success: true, id: 'plan', disabled: true, message: 'Document disabled state updated.' },
        nobody: { success: false, id: 'nobody', message: 'Document does not exist', code: 'not-found' },
      },
      failedCount: 1,
    });
    expect(await read()).toMatchObject([{ id: 'plan', disabled: true }]);
  });

  it('are deleted, and their ids are reusable at once', async () => {
    await add([{ documentId: 'plan', old: true }]);
    const deleted = await tenant.ok(at('delete'), { organizationId, documentIds: ['plan', 'nobody'] });
    expect(deleted).toMatchObject({
      message: 'Document(s) deleted successfully.',
      data: {
        plan: { success: true, message: 'Deleted Successfully' },
        nobody: { success: false, message: 'Document does not exist', code: 'not-found' },
      },
      failedCount: 1,
      jobId: expect.stringMatching(/^job_/),
    });
    expect(await read()).toEqual([]);
    await add([{ documentId: 'plan' }]);
    expect(await read()).toEqual([expect.not.objectContaining({ old: true })]);
  });

  it('are deleted, with reusable ids, together with their folder', async () => {
    const { folderId } = await aFolder(tenant, { organizationId });
    await add([{ documentId: 'plan' }], { folderId });
    await tenant.ok('/v2/organizations/folders/delete', { organizationId, folderId });
    expect(await read()).toEqual([]);
    expect((await add([{ documentId: 'plan' }])).failedCount).toBe(0);
    expect(await read()).toMatchObject([{ id: 'plan', folderId: 'root' }]);
  });
});

describe('a filter of documents', () => {
  beforeEach(async () => {
    await add([
      { documentId: 'a', size: 1, kind: 'note', tags: ['x', 'y'] },
      { documentId: 'b', size: 2, kind: 'plan', tags: ['y'] },
      { documentId: 'c', size: '2', kind: 'plan' },
      { documentId: 'd' },
    ]);
  });

  it.each([
    [{ key: 'size', operator: '==', value: 2 }, ['b']],
    [{ key: 'metadata.size', operator: '==', value: '2' }, ['c']],
    [{ key: 'size', operator: '!=', value: 2 }, ['a', 'c']],
    [{ key: 'size', operator: '>', value: 1 }, ['b']],
    [{ key: 'size', operator: '<=', value: 2 }, ['a', 'b']],
    [{ key: 'kind', operator: 'in', value: ['plan', 'other'] }, ['b', 'c']],
    [{ key: 'kind', operator: 'not-in', value: ['plan'] }, ['a']],
    [{ key: 'tags', operator: 'array-contains', value: 'x' }, ['a']],
    [{ key: 'tags', operator: 'array-contains-any', value: ['x', 'y'] }, ['a', 'b']],
    [{ key: 'kind', operator: 'array-contains', value: 'plan' }, []],
    [{ key: 'nothing', operator: '!=', value: 1 }, []],
  ])('returns the matching documents for %j', async (filter, ids) => {
    expect((await read({ filters: [filter] })).map(({ id }) => id)).toEqual(ids);
  });

  it('combines with other filters and with pages', async () => {
    const filters = [
      { key: 'kind', operator: '==', value: 'plan' },
      { key: 'size', operator: '==', value: 2 },
    ];
    expect((await read({ filters })).map(({ id }) => id)).toEqual(['b']);
    const first = await tenant.ok<{ id: string }[]>(at('get'), {
      organizationId,
      pageSize: 1,
      filters: [{ key: 'kind', operator: 'in', value: ['note', 'plan'] }],
    });
    expect(first.pageToken).toBe(first.nextPageToken);
    const onV1 = await tenant.ok(at('get').replace('/v2/', '/v1/'), { organizationId, pageSize: 1 });
    expect(onV1.nextPageToken).toEqual(expect.any(String));
    expect(onV1).not.toHaveProperty('pageToken');
    const second = await tenant.ok<{ id: string }[]>(at('get'), {
      organizationId,
      pageSize: 1,
      pageToken: first.nextPageToken,
      filters: [{ key: 'kind', operator: 'in', value: ['note', 'plan'] }],
    });
    expect([first, second].map(({ data }) => data.map(({ id }) => id))).toEqual([['a'], ['b']]);
  });

  it.each([
    [
      { key: 'kind', operator: 'in', value: 'plan' },
      'filters[0].value must be a list of 1 to 30 strings, numbers or booleans for in.',
    ],
    [
      { key: 'kind', operator: '==', value: ['plan'] },
      'filters[0].value must be a string, number or boolean for ==.',
    ],
    [
      { key: 'kind', operator: 'like', value: 'p' },
      'filters[0].operator must be one of: ==, !=, <, <=, >, >=, in, not-in, array-contains, array-contains-any.',
    ],
  ])('is rejected when it is %j', async (filter, message) => {
    const refusal = await tenant.refused(at('get'), { organizationId, filters: [filter] });
    expect(refusal.message).toBe(message);
  });

  it.each([0, 11])('is rejected among %i', async (count) => {
    const filters = Array.from({ length: count }, () => ({ key: 'kind', operator: '==', value: 'plan' }));
    const calls: [string, object][] = [
      [at('get'), {}],
      [at('get').replace('/v2/', '/v1/'), {}],
      ['/v2/organizations/documents/count/get', {}],
    ];
    for (const [path, data] of calls) {
      const refusal = await tenant.refused(path, { organizationId, filters, ...data });
      expect(refusal.message).toBe(`filters must hold 1 to 10 items, not ${String(count)}.`);
    }
  });
});

describe('statements about documents', () => {
  it('do not grow in number with the batch, and find rows by an index', async () => {
    const { folderId } = await aFolder(tenant, { organizationId });
    const batch = (count: number): object => ({
      organizationId,
      documents: Array.from({ length: count }, () => ({ documentId: freshId('document') })),
    });
    const one = await statementsOf(() => tenant.ok(at('add'), batch(1)));
    const thousand = await statementsOf(() => tenant.ok(at('add'), batch(1_000)));
    expect(thousand).toHaveLength(one.length);
    const reads = await statementsOf(async () => {
      await tenant.ok(at('get'), { organizationId, documentIds: ['a'] });
      await tenant.ok(at('get'), { organizationId, pageSize: 10 });
      await tenant.ok(at('get'), { organizationId, folderId, pageSize: 10 });
      await tenant.ok(at('get'), { organizationId, folderId: 'root', pageSize: 10 });
      await tenant.ok(at('delete'), { organizationId, documentIds: ['a'] });
    });
    for (const statement of reads.filter(({ values }) => values.length > 0)) {
      expect((await explain(api.database, statement)).wholeTables).toEqual([]);
    }
  });
});
