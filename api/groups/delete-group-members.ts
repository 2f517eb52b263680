import { z } from 'zod';
import { deleteGroupMembers as remove, emptyGroup } from '../../domain/groups/group-members.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { on, sends, rule } from '../rules.ts';
import { ids } from '../schemas.ts';
import { groupMembers, lockNamedGroup } from './group.ts';

export const deleteGroupMembers = endpoint({
  paths: bothVersions('organizations/usergroups/users/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Removes users from a user group of an organization.',
  description:
    'A user who is not in the group fails with `not-found`, without affecting the others. With `deleteAll`, ' +
    '`data` is empty and `deletedCount` contains the number of removed users. Users keep their membership in ' +
    'the organization. An unknown organization or group fails the call with `NOT_FOUND`. A group with so many ' +
    'users that `deleteAll` fails with `DEADLINE_EXCEEDED` needs calls with `userIds`. Fails with ' +
    '`FAILED_PRECONDITION` while the data of one of the given users is being deleted. Emits no event.',
  data: z
    .strictObject({
      ...groupMembers,
      userIds: ids().optional().describe('Ids of the users to remove, max 1,000.'),
      deleteAll: z
        .boolean()
        .optional()
        .describe('True removes every user from the group. Excludes `userIds`.'),
    })
    .check(
      rule(
        'Exactly one of userIds or deleteAll: true must be provided.',
        { oneOf: [sends('userIds'), on('deleteAll')] },
        ['deleteAll'],
        ({ userIds, deleteAll }, context) => {
          if (userIds !== undefined && deleteAll === true) {
            const message = '<m> and deleteAll exclude each other.';
            context.addIssue({ code: 'custom', path: ['userIds'], message });
          } else if (userIds === undefined && deleteAll !== true) {
            const message = 'Exactly one of userIds or deleteAll: true must be provided.';
            context.addIssue({ code: 'custom', message });
          }
        },
      ),
    ),
  response: batchResponse({ organizationUserGroupId: z.string().describe('Id of the group.') }, [
    'deletedCount',
  ]),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', organizationUserGroupId: 'designers', userIds: ['u1'] },
  async handle({ data, tenant }, { em }) {
    const group = await lockNamedGroup(em, tenant, data);
    const message = 'User(s) deleted from organization user group successfully.';
    if (data.userIds !== undefined) return { message, items: await remove(em, tenant, group, data.userIds) };
    const deletedCount = await emptyGroup(em, tenant, group);
    return { message, items: new Map(), extras: { deletedCount } };
  },
});
