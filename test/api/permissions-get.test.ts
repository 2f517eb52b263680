import { afterAll, describe, expect, it } from '@jest/globals';
import { startTestApi } from '../support/api.ts';
import { issuesOf } from '../support/client.ts';
import { statementsOf } from '../support/statements.ts';
import { aMember, aTree, get, grant } from './permission-calls.ts';

const api = await startTestApi();
afterAll(api.close);

const context = { accessFields: [] };

describe('permissions/get', () => {
  it('returns effective access by user, kind and id', async () => {
    const { tenant, organization, top, below, document, organizationId, user } = await aTree(api);
    const expiresAt = Math.floor(Date.now() / 1_000) + 3_600;
    await grant(tenant, user, organization, { ...below, accessRole: 'viewer', expiresAt });
    await aMember(api, tenant, 'member', top, 1);
    const { message, data } = await tenant.ok(get, {
      organizationId,
      userIds: [user, 'member'],
      folderIds: [top.id, below.id],
      documentIds: [document.id],
    });
    expect(message).toBe('User permissions retrieved successfully.');
    const denied = (what: string) => ({
      error: `User does not have access to ${what}`,
      errorCode: 'permission_denied',
    });
    const accessType = 'restricted';
    expect(data).toEqual({
      [user]: {
        organization: { [organizationId]: { accessRole: 'editor' } },
        folders: {
          [top.id]: { ...denied('folder'), accessType },
          [below.id]: { accessRole: 'viewer', accessType, expiresAt },
        },
        documents: { [document.id]: { accessRole: 'viewer', accessType, expiresAt } },
        context,
      },
      member: {
        organization: { [organizationId]: denied('organization') },
        folders: {
          [top.id]: { accessRole: 'viewer', accessType },
          [below.id]: { accessRole: 'viewer', accessType },
        },
        documents: { [document.id]: { accessRole: 'viewer', accessType } },
        context,
      },
    });
  });

  it('returns NOT_FOUND with all results in its details when an id is unknown, unless validation is skipped', async () => {
    const { tenant, document, organizationId } = await aTree(api, { accessType: 'public' });
    const request = {
      organizationId,
      userIds: ['u'],
      documentIds: [document.id, 'nothing'],
      folderIds: ['nowhere'],
    };
    const map = {
      u: {
        organization: {
          [organizationId]: {
            error: 'User does not have access to organization',
            errorCode: 'permission_denied',
          },
        },
        folders: { nowhere: { error: 'Folder does not exist', errorCode: 'does_not_exist' } },
        documents: {
          [document.id]: { accessRole: 'editor', accessType: 'public' },
          nothing: { error: 'Document does not exist', errorCode: 'does_not_exist' },
        },
        context,
      },
    };
    expect(await tenant.refused(get, request)).toMatchObject({
      http: 404,
      status: 'NOT_FOUND',
      message: 'Folder or document does not exist',
      details: { data: map, folderIds: ['nowhere'], documentIds: ['nothing'] },
    });
    const { data } = await tenant.ok(get, { ...request, skipResourceExistenceValidation: true });
    expect(data).toEqual(map);
  });

  it('names the unknown ids in NOT_FOUND when the map is cut', async () => {
    const { tenant, organizationId } = await aTree(api);
    const documentIds = Array.from({ length: 999 }, (_, at) => `document-${String(at)}`);
    const documents = documentIds.map((documentId) => ({ documentId, accessType: 'restricted' }));
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
    const request = { organizationId, userIds: ['nobody'], documentIds: [...documentIds, 'unknown'] };
    const refusal = await tenant.refused(get, request);
    expect(refusal.details).toMatchObject({ data: {}, dataTotal: 1, documentIds: ['unknown'] });
    expect(refusal.details).not.toHaveProperty('folderIds');
  });

  it('returns NOT_FOUND for an unknown organization even when validation is skipped', async () => {
    const { tenant } = await aTree(api);
    const request = { organizationId: 'nowhere', userIds: ['u'], documentIds: ['d'] };
    for (const skipResourceExistenceValidation of [false, true]) {
      expect(await tenant.refused(get, { ...request, skipResourceExistenceValidation })).toMatchObject({
        status: 'NOT_FOUND',
        message: 'Organization does not exist',
      });
    }
  });

  it('requires folders or documents, and at most 10,000 pairs', async () => {
    const { tenant, organizationId } = await aTree(api);
    const ids = (count: number) => Array.from({ length: count }, (_, at) => `id-${String(at)}`);
    expect((await tenant.refused(get, { organizationId, userIds: ['u'] })).message).toBe(
      'At least one of folderIds or documentIds must be provided',
    );
    const refusal = await tenant.refused(get, { organizationId, userIds: ids(100), documentIds: ids(101) });
    expect(Object.values(issuesOf(refusal))).toEqual([
      'userIds times folderIds and documentIds must be at most 10000, not 10100.',
    ]);
    expect(
      (await tenant.refused(get, { organizationId, userIds: ids(101), documentIds: ['d'] })).message,
    ).toBe('userIds must hold 1 to 100 items, not 101.');
    expect(issuesOf(await tenant.refused(get, { organizationId, userIds: [], folderIds: ['root'] }))).toEqual(
      {
        'data.userIds': 'userIds must hold 1 to 100 items, not 0.',
        'data.folderIds[0]': 'folderIds[0] must not be root.',
      },
    );
  });

  it('reads 10,000 pairs in one statement after that of the credentials', async () => {
    const { tenant, organizationId } = await aTree(api);
    const documentIds = Array.from({ length: 100 }, (_, at) => `document-${String(at)}`);
    const documents = documentIds.map((documentId) => ({ documentId }));
    await tenant.ok('/v2/organizations/documents/add', { organizationId, documents });
    const userIds = Array.from({ length: 100 }, (_, at) => `user-${String(at)}`);
    let verdicts = {};
    const sent = await statementsOf(async () => {
      verdicts = (await tenant.ok<object>(get, { organizationId, userIds, documentIds })).data;
    });
    expect(sent).toHaveLength(2);
    expect(Object.keys(verdicts)).toEqual(userIds);
  });

  it('returns ids that are names of JavaScript built-ins unchanged', async () => {
    const { tenant, organizationId } = await aTree(api);
    const documentIds = ['__proto__', 'constructor', 'toString'];
    const documents = documentIds.map((documentId) => ({ documentId }));
    await tenant.call(
      '/v2/organizations/documents/add',
      {},
      {
        raw: JSON.stringify({ data: { organizationId, documents } }),
      },
    );
    const { text } = await tenant.call(get, { organizationId, userIds: documentIds, documentIds });
    expect([...text.matchAll(/"__proto__":\{"accessRole":"editor","accessType":"public"\}/g)]).toHaveLength(
      3,
    );
    expect(text).toContain('"__proto__":{"organization"');
  });
});
