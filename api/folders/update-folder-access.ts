import { z } from 'zod';
import { setFolderAccess, type AccessRequest } from '../../domain/folders/set-folder-access.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { batchResponse, type BatchReply } from '../http/response/batch.ts';
import { endpoint } from '../http/endpoint.ts';
import { atLeastOne, both, never, on, present, rule } from '../rules.ts';
import { accessType, customerId, folderId, ids } from '../schemas.ts';

const folders = { organizationId: customerId, folderIds: ids(1_000, folderId) };
const response = batchResponse({
  accessType: accessType.nullable(),
  inheritFromParent: z.literal(true).optional(),
});
const example = { organizationId: 'acme', folderIds: ['plans'], accessType: 'restricted' as const };

async function handle(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, folderIds }: { readonly organizationId: string; readonly folderIds: readonly string[] },
  request: AccessRequest,
): Promise<BatchReply> {
  const organization = await lockOrganization(em, tenant, organizationId);
  const items = await setFolderAccess(em, tenant, organization, folderIds, request);
  return { message: 'Folder access updated successfully.', items };
}

export const updateFolderAccessV1 = endpoint({
  paths: ['/v1/organizations/folders/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets the access type of folders.',
  data: z.strictObject({ ...folders, accessType: accessType.default('public') }),
  response,
  errors: ['NOT_FOUND'],
  example,
  handle: async ({ data, tenant }, { em }) => handle(em, tenant, data, data.accessType),
});

export const updateFolderAccess = endpoint({
  paths: ['/v2/organizations/folders/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Sets the access type of folders, or restores inheritance from the parent. With only inheritFromParent: false, fixes the effective access type.',
  data: z
    .strictObject({
      ...folders,
      accessType: accessType.optional(),
      inheritFromParent: z.boolean().optional(),
    })
    .check(
      atLeastOne(
        ['accessType', 'inheritFromParent'],
        'At least one of accessType or inheritFromParent must be provided.',
      ),
    )
    .check(
      rule(
        'accessType and inheritFromParent: true exclude each other.',
        never(both(present('accessType'), on('inheritFromParent'))),
        (data, context) => {
          if (data.accessType === undefined || data.inheritFromParent !== true) return;
          context.addIssue({
            code: 'custom',
            path: ['accessType'],
            message: '<m> and inheritFromParent exclude each other.',
          });
        },
      ),
    ),
  response,
  errors: ['NOT_FOUND'],
  example,
  handle: async ({ data, tenant }, { em }) =>
    handle(em, tenant, data, data.accessType ?? (data.inheritFromParent === true ? 'inherit' : 'keep')),
});
