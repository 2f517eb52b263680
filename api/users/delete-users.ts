import { z } from 'zod';
import { deleteUsers as remove } from '../../domain/members/delete-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { anything, customerId, folderId, ids } from '../schemas.ts';

export const deleteUsers = endpoint({
  paths: bothVersions('users/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Takes membership and role of one level; from an organization, those of its documents, folders and groups as well. Grants stay.',
  data: z
    .strictObject({
      organizationId: customerId,
      userIds: ids(),
      documentId: customerId.optional(),
      folderId: folderId.optional(),
      context: anything.optional(),
    })
    .check(exclude('documentId', 'folderId')),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', userIds: ['u1'] },
  async handle({ data: { userIds, ...place }, tenant }, { em }) {
    const items = await remove(em, tenant, place, userIds);
    return { message: 'User(s) deleted successfully.', items };
  },
});
