import { z } from 'zod';
import { deleteUsers as remove } from '../../domain/members/delete-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { anything, folderId, idOf, ids } from '../schemas.ts';

export const deleteUsers = endpoint({
  paths: bothVersions('users/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Removes membership and role of users at one level. Removal from an organization includes its documents, folders and groups. Grants are kept.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      userIds: ids(),
      documentId: idOf('the document').optional(),
      folderId: folderId.optional(),
      context: anything.optional(),
    })
    .check(exclude('documentId', 'folderId')),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', userIds: ['u1'] },
  async handle({ data: { userIds, ...level }, tenant }, { em }) {
    const items = await remove(em, tenant, level, userIds);
    return { message: 'User(s) deleted successfully.', items };
  },
});
