import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aTenant, freshId, type TestTenant } from '../support/factories.ts';
import { expectIssues, expectRefusal, fence, fenced, numbered, somePeople } from './users-calls.ts';

let api: TestApi;
let tenant: TestTenant;

beforeAll(async () => {
  api = await startTestApi();
  tenant = await aTenant(api);
});
afterAll(async () => api.close());

const path = '/v2/users/add';

describe('create flags when adding users', () => {
  it('create organization, document and folder, named by their ids', async () => {
    const organizationId = freshId('organization');
    const users = [{ userId: freshId('user') }];
    const flags = { createOrganization: true, createDocument: true, createFolder: true };
    await tenant.ok(path, { organizationId, documentId: 'd', users, ...flags });
    await tenant.ok(path, { organizationId, folderId: 'f', users, ...flags });
    await tenant.ok(path, { organizationId, folderId: 'g', parentFolderId: 'f', users, ...flags });
    // An existing folder is not moved.
    await tenant.ok(path, { organizationId, folderId: 'g', parentFolderId: 'root', users, ...flags });
    const { data: folders } = await tenant.ok<unknown[]>('/v2/organizations/folders/get', { organizationId });
    expect(folders).toMatchObject([
      { folderId: 'f', folderName: 'f', parentFolderId: 'root' },
      { folderId: 'g', folderName: 'g', parentFolderId: 'f' },
    ]);
    const { data: documents } = await tenant.ok('/v2/organizations/documents/get', { organizationId });
    expect(documents).toMatchObject([{ id: 'd', documentName: 'd' }]);
  });

  it('are named by the rejection of missing resources, which writes nothing', async () => {
    const { organizationId } = await somePeople(tenant);
    const users = [{ userId: freshId('user') }];
    const notFound = { http: 404, status: 'NOT_FOUND' };
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Organization does not exist. Add it with POST /v2/organizations/add or send createOrganization: true.',
      },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, documentId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Document does not exist. Add it with POST /v2/organizations/documents/add or send createDocument: true.',
      },
    );
    await expectRefusal(
      api,
      tenant,
      path,
      { organizationId, folderId: 'nowhere', users },
      {
        ...notFound,
        message:
          'Folder does not exist. Add it with POST /v2/organizations/folders/add or send createFolder: true.',
      },
    );
    const lost = { organizationId, folderId: 'new', parentFolderId: 'nowhere', createFolder: true, users };
    await expectRefusal(api, tenant, path, lost, { ...notFound, message: 'Parent folder does not exist.' });
  });
});

describe('adding users is rejected, and writes nothing,', () => {
  it('as a whole while a user is under deletion, with users and job in the details', async () => {
    const people = await somePeople(tenant);
    const [gone, free] = [freshId('gone'), freshId('free')];
    await people.add([{ userId: gone }]);
    const jobId = await fence(api, tenant, gone, people.organizationId);
    const data = { organizationId: people.organizationId, users: [{ userId: free }, { userId: gone }] };
    const refusal = await expectRefusal(api, tenant, path, data, fenced(gone, jobId));
    expect(refusal.details).not.toHaveProperty('issues');
    // The write fence covers one organization: another one accepts the user.
    const elsewhere = await somePeople(tenant);
    expect((await elsewhere.add(data.users)).failedCount).toBe(0);
  });

  it.each([
    [
      'no organization',
      { users: [{ userId: 'u' }] },
      { 'data.organizationId': 'organizationId is required.' },
    ],
    ['no users', { organizationId: 'o' }, { 'data.users': 'users is required.' }],
    [
      'an empty list',
      { organizationId: 'o', users: [] },
      { 'data.users': 'users must hold 1 to 1000 items, not 0.' },
    ],
    [
      'too many',
      { organizationId: 'o', users: numbered(1_001) },
      { 'data.users': 'users must hold 1 to 1000 items, not 1001.' },
    ],
    [
      'a user without an id',
      { organizationId: 'o', users: [{ name: 'x' }] },
      { 'data.users[0].userId': 'users[0].userId is required.' },
    ],
    [
      'document and folder at once',
      { organizationId: 'o', documentId: 'd', folderId: 'f', users: [{ userId: 'u' }] },
      { 'data.documentId': 'documentId and folderId exclude each other.' },
    ],
    [
      'the root, which has no members',
      { organizationId: 'o', folderId: 'root', users: [{ userId: 'u' }] },
      { 'data.folderId': 'folderId must not be root.' },
    ],
    [
      'invalid members, all of them reported',
      {
        organizationId: 'o',
        users: [
          {
            userId: 'u',
            name: null,
            email: 'nobody',
            photoUrl: 'x'.repeat(2_049),
            isAdmin: 'yes',
            accessRole: 'owner',
            organizationId: 'o',
            $where: 1,
          },
        ],
      },
      {
        'data.users[0].name': 'users[0].name must not be null.',
        'data.users[0].email': 'users[0].email must be a valid e-mail address.',
        'data.users[0].photoUrl': 'users[0].photoUrl must be at most 2048 characters.',
        'data.users[0].isAdmin': 'users[0].isAdmin must be a boolean.',
        'data.users[0].accessRole': 'users[0].accessRole must be one of: viewer, editor.',
        'data.users[0].organizationId': 'Unknown member: users[0].organizationId.',
        'data.users[0].$where': 'Unknown member: users[0].$where.',
      },
    ],
    [
      'free metadata beyond 16 KiB',
      { organizationId: 'o', users: [{ userId: 'u', note: 'x'.repeat(16_384) }] },
      { 'data.users[0]': 'users[0] must hold at most 16 KiB of free metadata.' },
    ],
    [
      'an unknown member',
      { organizationId: 'o', users: [{ userId: 'u' }], createUser: true },
      { 'data.createUser': 'Unknown member: createUser.' },
    ],
  ] as [string, object, Record<string, string>][])('for %s', async (_, data, issues) => {
    await expectIssues(api, tenant, path, data, issues);
  });
});
