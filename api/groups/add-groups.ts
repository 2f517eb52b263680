import { z } from 'zod';
import { addGroups as add } from '../../domain/groups/add-groups.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { sends, rule } from '../rules.ts';
import { createFlag, customerId, idOf, name, records } from '../schemas.ts';

/** `groupId` is an alias of `organizationUserGroupId`. */
const group = z
  .strictObject({
    organizationUserGroupId: idOf('the user group').optional(),
    groupId: customerId.optional().describe('Alias of `organizationUserGroupId`. Send one of the two.'),
    groupName: name
      .optional()
      .describe('Name of the group, max 1,000 characters. A new group without one is named by its id.'),
  })
  .check(
    rule(
      'Exactly one of organizationUserGroupId or groupId must be provided.',
      { oneOf: [sends('organizationUserGroupId'), sends('groupId')] },
      [],
      ({ organizationUserGroupId, groupId }, context) => {
        const both = organizationUserGroupId !== undefined && groupId !== undefined;
        if (!both && (organizationUserGroupId ?? groupId) !== undefined) return;
        const message = both ? '<m> and groupId exclude each other.' : '<m> is required.';
        context.addIssue({ code: 'custom', path: ['organizationUserGroupId'], message });
      },
    ),
  )
  .transform(({ organizationUserGroupId, groupId, groupName }) => ({
    organizationUserGroupId: organizationUserGroupId ?? groupId ?? '',
    groupName,
  }));

export const addGroups = endpoint({
  paths: bothVersions('organizations/usergroups/add'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Adds user groups to an organization and renames those that exist.',
  description:
    'Adds up to 1,000 groups in one transaction. A group that exists gets the name that was sent and ' +
    'keeps its members. An unknown organization fails the call with `NOT_FOUND` unless ' +
    '`createOrganization` is true. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    organizationId: idOf('the organization'),
    organizationUserGroups: records(group, 'organizationUserGroupId').describe('Groups to add, max 1,000.'),
    createOrganization: createFlag('the organization'),
  }),
  response: batchResponse(),
  errors: ['NOT_FOUND'],
  example: {
    organizationId: 'acme',
    organizationUserGroups: [{ organizationUserGroupId: 'designers', groupName: 'Designers' }],
  },
  async handle({ data, tenant }, { em }) {
    const organization = await lockOrganization(em, tenant, data.organizationId, data.createOrganization);
    const items = await add(em, tenant, organization, data.organizationUserGroups);
    return { message: 'Organization user group(s) added successfully.', items };
  },
});
