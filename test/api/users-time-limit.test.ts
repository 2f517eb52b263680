import { afterAll, beforeAll, expect, it } from '@jest/globals';
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

it.each([deleteUsers, updateUsers, getUsers, getDocumentUsers])(
  'the limit of a call that has no other bound on the rows of one user is described: $paths',
  ({ description, errors }) => {
    expect(description).toContain('10 seconds');
    expect(errors).toContain('DEADLINE_EXCEEDED');
  },
);

it('an exact count that takes longer than 10 seconds fails', async () => {
  const tenant = await aTenant(api);
  const { organizationId, documentId } = await aDocument(tenant);
  const counts: readonly (readonly [path: string, data: object])[] = [
    ['/v2/organizations/documents/count/get', {}],
    ['/v2/users/count/get', {}],
    ['/v2/users/count/get', { allDocuments: true }],
    ['/v2/commentannotations/count/get', { userId: 'u', documentIds: [documentId] }],
  ];
  const other = await api.database.connect();
  await other.query('begin; lock table document, access, thread in access exclusive mode');
  const refusals = await Promise.all(
    counts.map(async ([path, data]) => tenant.refused(path, { organizationId, ...data })),
  );
  await other.query('rollback');
  for (const refusal of refusals) expect(refusal).toMatchObject({ http: 504, status: 'DEADLINE_EXCEEDED' });
  for (const [path, data] of counts) await tenant.ok(path, { organizationId, ...data });
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
