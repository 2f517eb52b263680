import { z } from 'zod';
import { maxFolderDepth } from '../../domain/folders/folder-tree.ts';
import { decideAccess, type Decision } from '../../domain/permissions/decide-access.ts';
import { reasons } from '../../domain/permissions/verdict.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { accessRole, accessType, idOf, jsonBytesOf, resourceKind } from '../schemas.ts';
import { resources } from './resource.ts';

const level = z.strictObject({
  type: resourceKind.describe('Kind of the resource at this level.'),
  id: z.string().describe('Id of the resource at this level.'),
  found: z
    .enum(['grant', 'membership', 'expired-grant', 'nothing'])
    .describe('Rule found at this level. `expired-grant` and `nothing` do not decide.'),
  accessType: accessType
    .optional()
    .describe('Access type set on this level itself. Absent when it has none.'),
});

const typeFound = {
  found: z.literal('access-type').describe('An access type decided, because no grant or membership did.'),
  accessType,
};

/** The last element of a path that no grant or membership decided: the effective access type and its source. */
const accessTypeFound = z.union([
  z.strictObject({
    ...typeFound,
    from: z.enum(['document', 'key default']).describe('Source of the access type.'),
  }),
  z.strictObject({
    ...typeFound,
    from: z.literal('folder').describe('Source of the access type.'),
    folderId: z.string().describe('Id of the folder whose access type decided.'),
  }),
]);

const checked = z
  .strictObject({
    type: resourceKind.describe('Kind of the resource.'),
    id: z.string().describe('Id of the resource.'),
    organizationId: z.string().describe('Id of the organization of the resource.'),
    hasAccess: z.boolean().describe('Whether the user has access now.'),
    accessRole: accessRole.nullable().describe('Role of the user. Null without access.'),
    expiresAt: z
      .int()
      .nullable()
      .describe(
        'When the grant or provider decision that gives the role expires, in seconds since the epoch. ' +
          'Null when the role does not expire. Access by a membership or an access type may follow.',
      ),
    reason: z.enum(reasons).describe('Rule that decided.'),
    path: z
      .array(z.union([level, accessTypeFound]))
      .optional()
      .meta({
        description:
          'Present with `explain`: the rule found at each level, from the resource up. The nearest grant or membership ' +
          'decides. Without one, the last element is the access type that decided and its source.',
      }),
  })
  .meta({ id: 'CheckedPermission' });

/** Max bytes of one result beside its two ids. */
const bytesPerResult = 300;

/**
 * Max bytes of a path through the folders, the document and the organization, and the access type. Ids of 1,000 bytes may
 * be escaped.
 */
const bytesPerPath = (maxFolderDepth + 3) * 2_200;

const bytesOf = ({ id, organizationId }: { readonly id: string; readonly organizationId: string }): number =>
  jsonBytesOf(id) + jsonBytesOf(organizationId) + bytesPerResult;

export const checkPermissions = endpoint({
  paths: ['/v2/auth/permissions/check'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Returns the current access of a user to up to 100 resources, and on request the rule that decided.',
  description:
    'Returns one result per resource, in the order of the request. While the permission provider of the ' +
    'API key is on, it alone decides; its responses are cached until they expire, or for 5 minutes if they ' +
    'have no expiry. Otherwise the nearest unexpired grant or membership decides, from the resource up ' +
    'through its folders; without one, the effective access type decides. Disabled organizations and ' +
    'documents deny access to all users. Unknown users and resources do not fail: unknown resources have ' +
    'the reason `not-found`. A provider that fails denies access with the reason `provider-failed`.',
  data: z.strictObject({
    userId: idOf('the user'),
    resources,
    explain: z.boolean().default(false).describe('True adds `path` to each result.'),
  }),
  maxResponseBytes({ data: { resources, explain }, tenant }) {
    // A permission provider explains nothing.
    const hasPath = explain && !tenant.switches.permissionProvider;
    return resources.reduce((sum, resource) => sum + bytesOf(resource) + (hasPath ? bytesPerPath : 0), 0);
  },
  response: dataResponse(z.array(checked)),
  errors: [],
  example: {
    userId: 'u1',
    resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }],
    explain: true,
  },
  async handle({ data: { userId, resources, explain }, tenant }, { em, permissionProvider }) {
    const query = { userIds: [userId], resources, explain };
    const decisions = await decideAccess(em, tenant, permissionProvider, query);
    return succeeded('Permissions checked successfully.', decisions.map(view(explain)));
  },
});

const view =
  (explain: boolean) =>
  ({ resource, verdict, path }: Decision): z.input<typeof checked> => ({
    ...resource,
    ...verdict,
    ...(explain && { path: [...path] }),
  });
