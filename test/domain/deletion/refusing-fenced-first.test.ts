import { describe, expect, it } from '@jest/globals';
import { fenceUsers } from '../../../domain/deletion/fence-users.ts';
import { documentScene } from '../../support/document-scene.ts';
import { freshId, withActivityLogs } from '../../support/factories.ts';
import { begunDeletion, whole } from './carry-out.ts';

const scene = await documentScene();
await withActivityLogs(scene.tenant);

/** Writes that name a user and a document, or a group that is missing. */
const writes: readonly (readonly [path: string, members: (userId: string) => object])[] = [
  [
    '/v2/activities/add',
    (userId) => ({
      activities: [{ featureType: 'custom', actionType: 'a.b', targetEntityId: 't', actionUser: { userId } }],
    }),
  ],
  [
    '/v2/commentannotations/add',
    (userId) => ({ commentAnnotations: [{ commentData: [{ from: { userId } }] }] }),
  ],
  ['/v2/crdt/add', (userId) => ({ editorId: 'notes', type: 'text', data: 'Hello', lastUpdatedBy: userId })],
  [
    '/v2/crdt/update',
    (userId) => ({ editorId: 'notes', type: 'text', data: 'Hello', lastUpdatedBy: userId }),
  ],
  [
    '/v2/recordings/add',
    (userId) => ({
      recordings: [{ from: { userId }, recordingType: 'screen' }],
      verifyUserPermissions: true,
    }),
  ],
  ['/v2/agents/execution/add', (userId) => ({ agentId: 'a', ranBy: { userId } })],
  [
    '/v2/organizations/usergroups/users/add',
    (userId) => ({ documentId: undefined, organizationUserGroupId: freshId('group'), userIds: [userId] }),
  ],
  ['/v2/notifications/update', (userId) => ({ notifications: [{ id: 'n', readByUserIds: [userId] }] })],
  ['/v2/users/add', (userId) => ({ users: [{ userId }] })],
  ['/v2/users/update', (userId) => ({ users: [{ userId, name: 'Ada' }] })],
  ['/v2/users/delete', (userId) => ({ userIds: [userId] })],
];

describe.each(writes)('%s of a user under deletion', (path, members) => {
  it.each([
    { deletion: 'from all organizations', isScoped: false },
    { deletion: 'from this organization', isScoped: true },
  ])(
    'is refused because of a deletion $deletion before the document is found missing',
    async ({ isScoped }) => {
      const { api, tenant, document } = scene;
      const { organizationId } = document;
      const userId = freshId('u');
      await tenant.ok('/v2/users/add', { organizationId, users: [{ userId }] });
      const missing = { organizationId, documentId: freshId('missing'), ...members(userId) };
      expect((await tenant.call(path, missing)).body.error?.status).toBe('NOT_FOUND');
      const request = { userIds: [userId], ...(isScoped && { organizationIds: [organizationId] }) };
      const deletion = await begunDeletion(api, tenant, request);
      await whole(fenceUsers(api.orm, deletion));
      expect(await tenant.refused(path, missing)).toMatchObject({
        http: 400,
        status: 'FAILED_PRECONDITION',
        message: 'User data deletion is in progress.',
      });
      const nowhere = { ...missing, organizationId: freshId('nowhere') };
      expect(await tenant.refused(path, nowhere)).toMatchObject(
        isScoped ? { status: 'NOT_FOUND' } : { status: 'FAILED_PRECONDITION' },
      );
    },
  );
});
