import { z } from 'zod';
import { addGroupMembers as add } from '../../domain/groups/group-members.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { ids } from '../schemas.ts';
import { groupMembers, lockNamedGroup } from './group.ts';

export const addGroupMembers = endpoint({
  paths: bothVersions('organizations/usergroups/users/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds members of an organization to one of its user groups.',
  description:
    'Adds up to 1,000 users in one transaction. A user who is not a member of the organization fails with ' +
    '`not-found`, without affecting the others; a user who is already in the group succeeds. An unknown ' +
    'organization or group fails the call with `NOT_FOUND`. Fails with `FAILED_PRECONDITION` while the ' +
    'data of one of the users is being deleted. Emits no event.',
  data: z.strictObject({
    ...groupMembers,
    userIds: ids().describe('Ids of the users to add, max 1,000. They must be members of the organization.'),
  }),
  response: batchResponse({ organizationUserGroupId: z.string().describe('Id of the group.') }),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', organizationUserGroupId: 'designers', userIds: ['u1'] },
  async handle({ data, tenant }, { em }) {
    const group = await lockNamedGroup(em, tenant, data);
    const items = await add(em, tenant, group, data.userIds);
    return { message: 'User(s) added to organization user group successfully.', items };
  },
});
