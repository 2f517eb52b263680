import { z } from 'zod';
import { addGroups as add } from '../../domain/groups/add-groups.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import { batchResponse } from '../http/response/batch.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { present, rule } from '../rules.ts';
import { customerId, name, records } from '../schemas.ts';

/** `groupId` is an alias of `organizationUserGroupId`. */
const group = z
  .strictObject({
    organizationUserGroupId: customerId.optional(),
    groupId: customerId.optional(),
    groupName: name.optional(),
  })
  .check(
    rule(
      'Exactly one of organizationUserGroupId or groupId must be provided.',
      { oneOf: [present('organizationUserGroupId'), present('groupId')] },
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
  summary: 'Adds user groups to an organization. Renames groups that exist.',
  data: z.strictObject({
    organizationId: customerId,
    organizationUserGroups: records(group, 'organizationUserGroupId'),
    createOrganization: z.boolean().default(false),
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
