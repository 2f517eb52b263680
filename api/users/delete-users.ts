import { z } from 'zod';
import { deleteUsers as remove } from '../../domain/members/delete-users.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { exclude } from '../rules.ts';
import { anything, customerId, folderId, idOf, ids } from '../schemas.ts';

export const deleteUsers = endpoint({
  paths: bothVersions('users/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Removes users’ membership and role at one level.',
  description:
    'Removal from an organization includes its documents, folders and groups. Grants are kept. Removes up to ' +
    '1,000 users in one transaction. The users themselves and their records are kept; delete those with ' +
    '`/v2/users/data/delete`. A user without a membership at the level fails with `not-found`, without ' +
    'affecting the others. An unknown organization, document or folder fails the call with `NOT_FOUND`. ' +
    'Fails with `FAILED_PRECONDITION` while the data of one of the users is being deleted. A call that takes ' +
    'more than 10 seconds changes nothing and fails with `DEADLINE_EXCEEDED`: send fewer users. Remove a user ' +
    'of millions of documents from these first, with `documentId`. Emits no event.',
  data: z
    .strictObject({
      organizationId: idOf('the organization'),
      userIds: ids().describe('Ids of the users to remove, max 1,000.'),
      documentId: customerId
        .optional()
        .describe('Removes the users from this document only. Excludes `folderId`.'),
      folderId: folderId
        .optional()
        .describe('Removes the users from this folder only. Excludes `documentId`.'),
      context: anything.optional().describe('Accepted for compatibility; has no effect.'),
    })
    .check(exclude('documentId', 'folderId')),
  response: batchResponse(),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'DEADLINE_EXCEEDED'],
  example: { organizationId: 'acme', userIds: ['u1'] },
  async handle({ data: { userIds, ...level }, tenant }, { em }) {
    const items = await remove(em, tenant, level, userIds);
    return { message: 'User(s) deleted successfully.', items };
  },
});
