import { z } from 'zod';
import { decideAccess, type Decision } from '../../domain/permissions/decide-access.ts';
import { reasons } from '../../domain/permissions/verdict.ts';
import { resourceKinds } from '../../domain/tenancy/resource-kinds.ts';
import { dataAnswer, succeeded } from '../http/answer.ts';
import { endpoint } from '../http/endpoint.ts';
import { accessType, customerId } from '../schemas.ts';
import { accessRole, resources } from './resource.ts';

const kind = z.enum(resourceKinds);

const place = z.strictObject({
  type: kind,
  id: z.string(),
  found: z.enum(['grant', 'membership', 'expired-grant', 'nothing']),
  accessType: accessType.optional(),
});

const checked = z.strictObject({
  type: kind,
  id: z.string(),
  organizationId: z.string(),
  hasAccess: z.boolean(),
  accessRole: accessRole.nullable(),
  expiresAt: z.int().nullable(),
  reason: z.enum(reasons),
  path: z.array(place).optional(),
});

export const checkPermissions = endpoint({
  paths: ['/v2/auth/permissions/check'],
  credentials: 'apiKey',
  mutates: false,
  summary:
    'Says what a user may do with up to 100 resources at this moment; with `explain` also what was found on the way.',
  data: z.strictObject({ userId: customerId, resources, explain: z.boolean().default(false) }),
  answer: dataAnswer(z.array(checked)),
  errors: [],
  example: {
    userId: 'u1',
    resources: [{ type: 'document', id: 'plan', organizationId: 'acme' }],
    explain: true,
  },
  async handle({ data: { userId, resources, explain }, tenant }, { em, permissionProvider }) {
    const question = { userIds: [userId], resources, explain };
    const decisions = await decideAccess(em, tenant, permissionProvider, question);
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
