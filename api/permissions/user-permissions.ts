import { z } from 'zod';
import type { Decision } from '../../domain/permissions/decide-access.ts';
import type { ResourceKind } from '../../domain/tenancy/resource-kinds.ts';
import { accessRole, accessType } from '../schemas.ts';

const access = z
  .union([
    z.strictObject({
      accessRole,
      accessType: accessType
        .optional()
        .describe('Effective access type of the resource. Absent for an organization.'),
      expiresAt: z
        .int()
        .optional()
        .describe(
          'When the grant or provider decision that gives the role expires, in seconds since the epoch. ' +
            'Absent when the role does not expire. Access by a membership or an access type may follow.',
        ),
    }),
    z.strictObject({
      error: z.string().describe('Why the user has no access, in one sentence.'),
      errorCode: z
        .enum(['permission_denied', 'does_not_exist', 'something_went_wrong'])
        .describe(
          'Why the user has no access. `something_went_wrong`: the permission provider did not respond.',
        ),
      accessType: accessType
        .optional()
        .describe('Effective access type of the resource. Absent for an organization and an unknown id.'),
    }),
  ])
  .meta({ id: 'Access' });

type Access = z.input<typeof access>;

const byId = z.record(z.string(), access);

/** The access of one user, by kind and id. */
export const userPermissions = z
  .strictObject({
    organization: byId.describe('Access to the organization, by its id.'),
    folders: byId.describe('Access to each folder, by its id.'),
    documents: byId.describe('Access to each document, by its id.'),
    context: z
      .strictObject({ accessFields: z.array(z.string()).describe('Always empty; kept for compatibility.') })
      .describe('Always without fields; kept for compatibility.'),
  })
  .meta({ id: 'UserPermissions' });

type UserPermissions = z.input<typeof userPermissions>;

/** Groups decisions by user, in their order. `fromEntries` makes any id, even `__proto__`, an own member. */
export function permissionsByUser(decisions: readonly Decision[]): Record<string, UserPermissions> {
  const users = Map.groupBy(decisions, ({ userId }) => userId);
  return Object.fromEntries(
    [...users].map(([userId, own]): [string, UserPermissions] => {
      const kinds = Map.groupBy(own, ({ resource }) => resource.type);
      const of = (kind: ResourceKind): Record<string, Access> =>
        Object.fromEntries(
          (kinds.get(kind) ?? []).map((decision) => [decision.resource.id, accessOf(decision)]),
        );
      return [
        userId,
        {
          organization: of('organization'),
          folders: of('folder'),
          documents: of('document'),
          context: { accessFields: [] },
        },
      ];
    }),
  );
}

const titles = { organization: 'Organization', folder: 'Folder', document: 'Document' } as const;

function accessOf({ resource: { type }, verdict, accessType }: Decision): Access {
  const inForce = accessType === null ? {} : { accessType };
  if (verdict.accessRole !== null) {
    const { accessRole, expiresAt } = verdict;
    return { accessRole, ...inForce, ...(expiresAt !== null && { expiresAt }) };
  }
  switch (verdict.reason) {
    case 'not-found':
      return { error: `${titles[type]} does not exist`, errorCode: 'does_not_exist' };
    case 'provider-failed':
    case 'provider-not-configured':
      return { error: 'Permission provider did not respond', errorCode: 'something_went_wrong', ...inForce };
    default:
      return { error: `User does not have access to ${type}`, errorCode: 'permission_denied', ...inForce };
  }
}
