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
  data: z.strictObject({ ...groupMembers, userIds: ids() }),
  response: batchResponse({ organizationUserGroupId: z.string() }),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', organizationUserGroupId: 'designers', userIds: ['u1'] },
  async handle({ data, tenant }, { em }) {
    const group = await lockNamedGroup(em, tenant, data);
    const items = await add(em, tenant, group, data.userIds);
    return { message: 'User(s) added to organization user group successfully.', items };
  },
});
