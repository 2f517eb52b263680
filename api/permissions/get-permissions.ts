import { z } from 'zod';
import { notFound } from '../../domain/errors.ts';
import { messages } from '../../domain/messages.ts';
import { decideAccess, type Decision } from '../../domain/permissions/decide-access.ts';
import type { Resource } from '../../domain/permissions/resource.ts';
import type { ResourceKind } from '../../domain/tenancy/resource-kinds.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { maxResponseBytes } from '../http/response/page-reader.ts';
import { endpoint } from '../http/endpoint.ts';
import { atLeastOne } from '../rules.ts';
import { folderId, idOf, ids, jsonBytesOf } from '../schemas.ts';
import { permissionsByUser, userPermissions } from './user-permissions.ts';

const maxUsers = 100;
const maxPairs = 10_000;
/** Bytes of one pair in the response beside its id. */
const bytesPerPair = 300;
/** Bytes of one user in the response beside the ids, with the access to the organization. */
const bytesPerUser = 600;

/** Max bytes of the response to a request. */
const responseBytes = ({
  organizationId,
  userIds,
  folderIds = [],
  documentIds = [],
}: {
  readonly organizationId: string;
  readonly userIds: readonly string[];
  readonly folderIds?: readonly string[] | undefined;
  readonly documentIds?: readonly string[] | undefined;
}): number =>
  userIds.reduce((sum, id) => sum + jsonBytesOf(id) + jsonBytesOf(organizationId) + bytesPerUser, 0) +
  userIds.length *
    [...folderIds, ...documentIds].reduce((sum, id) => sum + jsonBytesOf(id) + bytesPerPair, 0);

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    userIds: ids(maxUsers).describe('Ids of the users, max 100.'),
    folderIds: ids(1_000, folderId).optional().describe('Ids of folders of the organization, max 1,000.'),
    documentIds: ids().optional().describe('Ids of documents of the organization, max 1,000.'),
    skipResourceExistenceValidation: z
      .boolean()
      .default(false)
      .describe('True reports unknown folders and documents in the result instead of failing the call.'),
  })
  .check(
    atLeastOne(['folderIds', 'documentIds'], 'At least one of folderIds or documentIds must be provided'),
  )
  .superRefine(({ organizationId, userIds, folderIds = [], documentIds = [] }, context) => {
    const pairs = userIds.length * (folderIds.length + documentIds.length);
    if (pairs > maxPairs) {
      const message = `userIds times folderIds and documentIds must be at most ${String(maxPairs)}, not ${String(pairs)}.`;
      context.addIssue({ code: 'custom', message });
    }
    if (responseBytes({ organizationId, userIds, folderIds, documentIds }) > maxResponseBytes) {
      const message = 'userIds times folderIds and documentIds must make a response of at most 10 MiB.';
      context.addIssue({ code: 'custom', message });
    }
  });

export const getPermissions = endpoint({
  paths: ['/v2/auth/permissions/get'],
  credentials: 'apiKey',
  mutates: false,
  summary: 'Returns the access of users to an organization and to its folders and documents.',
  description:
    'The number of users times the number of folders and documents is at most 10,000, and the response at ' +
    'most 10 MiB. Access follows the same rules as `/v2/auth/permissions/check`. A user without access ' +
    'has `error` and `errorCode` at the resource. An unknown folder or document fails the call with ' +
    '`NOT_FOUND`, unless `skipResourceExistenceValidation` is true. `details.data` is then the result, and ' +
    '`details.folderIds` and `details.documentIds` are the unknown ids. An unknown organization fails with ' +
    '`NOT_FOUND`; an unknown user is treated as one without grants or memberships.',
  data,
  maxResponseBytes: ({ data }) => responseBytes(data),
  response: dataResponse(z.record(z.string(), userPermissions)),
  errors: ['NOT_FOUND'],
  example: { organizationId: 'acme', userIds: ['u1'], documentIds: ['plan'] },
  async handle({ data, tenant }, { em, permissionProvider }) {
    const { organizationId, userIds, folderIds = [], documentIds = [] } = data;
    const resources: Resource[] = [
      { type: 'organization', id: organizationId, organizationId },
      ...folderIds.map((id): Resource => ({ type: 'folder', id, organizationId })),
      ...documentIds.map((id): Resource => ({ type: 'document', id, organizationId })),
    ];
    const query = { userIds, resources, types: true };
    const decisions = await decideAccess(em, tenant, permissionProvider, query);
    if (decisions[0]?.verdict.reason === 'not-found') throw notFound(messages.organizationMissing);
    const byUser = permissionsByUser(decisions);
    const missing = decisions.filter(({ verdict }) => verdict.reason === 'not-found');
    if (missing.length > 0 && !data.skipResourceExistenceValidation) {
      throw notFound('Folder or document does not exist', { data: byUser, ...idsOf(missing) });
    }
    return succeeded('User permissions retrieved successfully.', byUser);
  },
});

/** The ids of unknown folders and documents. A large failure keeps them, where it cuts the result of many resources. */
function idsOf(missing: readonly Decision[]): {
  readonly folderIds?: string[];
  readonly documentIds?: string[];
} {
  const ids = (kind: ResourceKind): string[] => [
    ...new Set(missing.flatMap(({ resource: { type, id } }) => (type === kind ? [id] : []))),
  ];
  const [folderIds, documentIds] = [ids('folder'), ids('document')];
  return { ...(folderIds.length > 0 && { folderIds }), ...(documentIds.length > 0 && { documentIds }) };
}
