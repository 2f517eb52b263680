import { z } from 'zod';
import { setFolderAccess, type AccessRequest } from '../../domain/folders/set-folder-access.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { batchResponse } from '../http/response/batch.ts';
import type { Reply } from '../http/response/response-kind.ts';
import { endpoint } from '../http/endpoint.ts';
import { atLeastOne, allOf, not, on, sends, rule } from '../rules.ts';
import { accessType, folderId, idOf, ids } from '../schemas.ts';

const folders = {
  organizationId: idOf('the organization'),
  folderIds: ids(1_000, folderId).describe('Ids of the folders, max 1,000.'),
};
const response = batchResponse({
  accessType: accessType
    .nullable()
    .describe('Access type set on the folder itself. Null when it is inherited.'),
  inheritFromParent: z
    .literal(true)
    .optional()
    .describe('True when the folder now inherits; otherwise absent.'),
});
const example = { organizationId: 'acme', folderIds: ['plans'], accessType: 'restricted' as const };

async function handle(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, folderIds }: { readonly organizationId: string; readonly folderIds: readonly string[] },
  request: AccessRequest,
): Promise<Reply<typeof response>> {
  const organization = await lockOrganization(em, tenant, organizationId);
  const items = await setFolderAccess(em, tenant, organization, folderIds, request);
  return { message: 'Folder access updated successfully.', items };
}

export const updateFolderAccessV1 = endpoint({
  paths: ['/v1/organizations/folders/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets the access type of folders.',
  description:
    'Without `accessType`, sets `public`. An unknown folder fails with `not-found`, without affecting the ' +
    'others; an unknown organization fails the call with `NOT_FOUND`. Folders and documents that inherit ' +
    'from the folder change with it at once. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({
    ...folders,
    accessType: accessType
      .default('public')
      .describe('Access type that the folders get, which ends inheritance.'),
  }),
  response,
  errors: ['NOT_FOUND'],
  example,
  handle: async ({ data, tenant }, { em }) => handle(em, tenant, data, data.accessType),
});

export const updateFolderAccess = endpoint({
  paths: ['/v2/organizations/folders/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets the access type of folders, or restores inheritance from the parent.',
  description:
    'An unknown folder fails with `not-found`, without affecting the others; an unknown organization fails ' +
    'the call with `NOT_FOUND`. Folders and documents that inherit from the folder change with it at once. ' +
    'Emits no event; repeating the call changes nothing.',
  data: z
    .strictObject({
      ...folders,
      accessType: accessType
        .optional()
        .describe(
          'Access type that the folders get, which ends inheritance. Excludes `inheritFromParent: true`.',
        ),
      inheritFromParent: z
        .boolean()
        .optional()
        .describe(
          'True removes the access type set on the folders themselves, so that they inherit one. False ' +
            'alone sets on each folder the type that it inherits now.',
        ),
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
        not(allOf(sends('accessType'), on('inheritFromParent'))),
        ['inheritFromParent'],
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
