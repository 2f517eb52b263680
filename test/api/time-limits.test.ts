import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { deleteFolder } from '../../api/folders/delete-folder.ts';
import { updateFolders } from '../../api/folders/update-folders.ts';
import { deleteUsers } from '../../api/users/delete-users.ts';
import { getDocumentUsers } from '../../api/users/get-document-users.ts';
import { getUsers } from '../../api/users/get-users.ts';
import { updateUsers } from '../../api/users/update-users.ts';
import { startTestApi, type TestApi } from '../support/api.ts';
import { aDocument, aTenant } from '../support/factories.ts';
import { somePeople, userIds } from './users-calls.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(async () => api.close());

it.each([deleteUsers, updateUsers, getUsers, getDocumentUsers, deleteFolder, updateFolders])(
  'the limit of a call that has no other bound on the rows of one user or folder is described: $paths',
  ({ description, errors }) => {
    expect(description).toContain('10 seconds');
    expect(errors).toContain('DEADLINE_EXCEEDED');
  },
);

it.each<[path: string, table: string, data: object]>([
  ['/v2/organizations/documents/count/get', 'document', {}],
  ['/v2/users/count/get', 'access', {}],
  ['/v2/users/count/get', 'access', { allDocuments: true }],
  ['/v2/commentannotations/count/get', 'thread', { userId: 'u', documentIds: ['plan'] }],
])('%s fails when its count takes longer than 10 seconds', async (path, table, data) => {
  const tenant = await aTenant(api);
  const { organizationId } = await aDocument(tenant, { documentId: 'plan' });
  const other = await api.database.connect();
  // Only the count waits: the calls look up organizations and documents elsewhere.
  await other.query(`begin; lock table ${table} in access exclusive mode`);
  const refusal = await tenant.refused(path, { organizationId, ...data });
  await other.query('rollback');
  expect(refusal).toMatchObject({ http: 504, status: 'DEADLINE_EXCEEDED' });
  await tenant.ok(path, { organizationId, ...data });
});

it('a removal from an organization that takes longer than 10 seconds changes nothing', async () => {
  const tenant = await aTenant(api);
  const people = await somePeople(tenant);
  const { organizationId, documentId } = people;
  await people.add([{ userId: 'u' }]);
  await people.add([{ userId: 'u' }], { documentId });
  const other = await api.database.connect();
  await other.query('begin; lock table access in share mode');
  const refused = await tenant.refused('/v2/users/delete', { organizationId, userIds: ['u'] });
  expect(refused).toMatchObject({ http: 504, status: 'DEADLINE_EXCEEDED' });
  await other.query('rollback');
  for (const level of [{}, { documentId }]) expect(userIds(await people.get(level))).toEqual(['u']);
});
