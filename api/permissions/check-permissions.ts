import { z } from 'zod';
import { decideAccess, type Decision } from '../../domain/permissions/decide-access.ts';
import { reasons } from '../../domain/permissions/verdict.ts';
import { resourceKinds } from '../../domain/tenancy/resource-kinds.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { endpoint } from '../http/endpoint.ts';
import { accessType, idOf } from '../schemas.ts';
import { accessRole, resources } from './resource.ts';

const kind = z.enum(resourceKinds);

const level = z.strictObject({
  type: kind,
  id: z.string(),
  found: z.enum(['grant', 'membership', 'expired-grant', 'nothing']),
  accessType: accessType.optional(),
});

const typeFound = { found: z.literal('access-type'), accessType };

/** The last element of a path that no grant or membership decided: the effective access type and its source. */
const accessTypeFound = z.union([
  z.strictObject({ ...typeFound, from: z.enum(['document', 'key default']) }),
  z.strictObject({ ...typeFound, from: z.literal('folder'), folderId: z.string() }),
]);

const checked = z.strictObject({
  type: kind,
  id: z.string(),
  organizationId: z.string(),
  hasAccess: z.boolean(),
  accessRole: accessRole.nullable(),
  expiresAt: z.int().nullable(),
  reason: z.enum(reasons),
  path: z
    .array(z.union([level, accessTypeFound]))
    .optional()
    .meta({
      description:
        'Present with `explain`: what was found at each level, from the resource up. The nearest grant or membership ' +
        'decides. Without one, the last element is the access type that decided and its source.',
    }),
});

export const checkPermissions = endpoint({
  paths: ['/v2/auth/permissions/check'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Returns a user’s current access to up to 100 resources. With `explain`, also returns what decided.',
  data: z.strictObject({ userId: idOf('the user'), resources, explain: z.boolean().default(false) }),
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
