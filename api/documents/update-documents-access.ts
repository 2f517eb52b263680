import { z } from 'zod';
import { setDocumentsAccess } from '../../domain/documents/set-documents-access.ts';
import { lockOrganization } from '../../domain/organizations/resolve-organization.ts';
import type { AccessType, Tenant } from '../../domain/tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { batchResponse } from '../http/response/batch.ts';
import type { Reply } from '../http/response/response-kind.ts';
import { endpoint } from '../http/endpoint.ts';
import { on, sends, rule } from '../rules.ts';
import { accessType, idOf, ids } from '../schemas.ts';

const documents = {
  organizationId: idOf('the organization'),
  documentIds: ids().describe('Ids of the documents, max 1,000.'),
};
const response = batchResponse({ accessType });
const example = { organizationId: 'acme', documentIds: ['plan'], accessType: 'restricted' as const };

async function handle(
  em: EntityManager,
  tenant: Tenant,
  data: { organizationId: string; documentIds: string[]; accessType: AccessType | null },
): Promise<Reply<typeof response>> {
  const organization = await lockOrganization(em, tenant, data.organizationId);
  const items = await setDocumentsAccess(em, tenant, organization, data);
  return { message: 'Updated access for documents successfully.', items };
}

export const updateDocumentsAccessV1 = endpoint({
  paths: ['/v1/organizations/documents/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets the access type of documents.',
  description:
    'An unknown document fails with `not-found`, without affecting the others; an unknown organization fails ' +
    'the call with `NOT_FOUND`. Access changes at once, and `data` contains the effective access type of ' +
    'each document. Grants and memberships are kept. Emits no event; repeating the call changes nothing.',
  data: z.strictObject({ ...documents, accessType }),
  response,
  errors: ['NOT_FOUND'],
  example,
  handle: ({ data, tenant }, { em }) => handle(em, tenant, data),
});

const exactlyOne = 'Exactly one of accessType or inheritAccess: true must be provided.';

export const updateDocumentsAccess = endpoint({
  paths: ['/v2/organizations/documents/access/update'],
  credentials: 'apiKey',
  mutates: true,
  summary: 'Sets the access type of documents, or restores inheritance from their folders.',
  description:
    'Each item contains the access type that is in effect after the call. An unknown document fails with ' +
    '`not-found`, without affecting the others; an unknown organization fails the call with `NOT_FOUND`. ' +
    'Grants and memberships are kept. Emits no event; repeating the call changes nothing.',
  data: z
    .strictObject({
      ...documents,
      accessType: accessType.optional(),
      inheritAccess: z
        .boolean()
        .optional()
        .describe(
          'True removes the access type set on the documents themselves, so that they inherit one. ' +
            'Excludes `accessType`.',
        ),
    })
    .check(
      rule(
        exactlyOne,
        { oneOf: [sends('accessType'), on('inheritAccess')] },
        ['inheritAccess'],
        (data, context) => {
          if ((data.accessType !== undefined) === (data.inheritAccess === true)) {
            const missing = data.accessType === undefined && data.inheritAccess === undefined;
            context.addIssue({
              code: 'custom',
              path: ['accessType'],
              message: missing ? '<m> is required.' : exactlyOne,
            });
          }
        },
      ),
    ),
  response,
  errors: ['NOT_FOUND'],
  example,
  handle: ({ data, tenant }, { em }) => handle(em, tenant, { ...data, accessType: data.accessType ?? null }),
});
