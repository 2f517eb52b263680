import { expect, it } from '@jest/globals';
import { tenantScene } from '../support/document-scene.ts';
import { anOrganization, freshId } from '../support/factories.ts';

const { tenant } = await tenantScene();

const metadataOf = (userId: string) => ({ contact: { userId, email: `${userId}@example.com` } });

const items: readonly (readonly [path: string, itemsOf: (userId: string) => object])[] = [
  [
    '/v2/organizations/update',
    (userId) => ({ organizations: [{ organizationId: 'absent', ...metadataOf(userId) }] }),
  ],
  [
    '/v2/organizations/documents/update',
    (userId) => ({ documents: [{ documentId: 'absent', ...metadataOf(userId) }] }),
  ],
  ['/v2/users/update', (userId) => ({ users: [{ userId: 'absent', ...metadataOf(userId) }] })],
];

it.each(items)('an item of %s that fails creates no user that it names', async (path, itemsOf) => {
  const organizationId = await anOrganization(tenant);
  const userId = freshId('ghost');
  const of = path === '/v2/organizations/update' ? {} : { organizationId };
  const result = await tenant.ok(path, { ...of, ...itemsOf(userId) });
  expect(result).toMatchObject({ data: { absent: { success: false, code: 'not-found' } } });
  expect((await tenant.ok('/v2/users/search', { prefix: userId })).data).toEqual([]);
});
