import { z } from 'zod';
import { accessRoleName, type AccessRole } from '../tenancy/access-roles.ts';
import { accessTypeName } from '../tenancy/access-types.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** What decided. */
export const reasons = [
  'organization-disabled',
  'document-disabled',
  'grant',
  'membership',
  'public',
  'organization-private',
  'restricted',
  'provider-granted',
  'provider-refused',
  'provider-failed',
  'provider-not-configured',
  'not-found',
] as const;
export type Reason = (typeof reasons)[number];

/** Whether one user may reach one resource. */
export interface Verdict {
  readonly hasAccess: boolean;
  readonly accessRole: AccessRole | null;
  /** Unix time in seconds: the verdict holds until then, if nobody changes anything. Null is without end. */
  readonly expiresAt: number | null;
  readonly reason: Reason;
}

/** One user and one resource of a question, resolved. */
export const LocatedRow = z.strictObject({
  user_ext: z.string(),
  /** Place of the resource in the question, from 1. */
  place: z.number(),
  kind: z.number(),
  ext_id: z.string(),
  org_ext_id: z.string(),
  /** Surrogate keys; null where there is nothing of that name. */
  organization: z.string().nullable(),
  resource: z.string().nullable(),
  organization_disabled: z.boolean().nullable(),
  document_disabled: z.boolean(),
  /** Access type in force; null where it was not needed. */
  type: z.number().nullable(),
});
export type LocatedRow = Readonly<z.infer<typeof LocatedRow>>;

/** A place on the way upward. */
const PathRow = z.strictObject({
  kind: z.number(),
  id: z.string(),
  /** Its own access type. */
  type: z.number().nullable(),
  /** A grant is there, whether or not it has expired. */
  grant: z.boolean(),
  /** A grant is there and counts. */
  granted: z.boolean(),
  member: z.boolean(),
});
export type PathRow = Readonly<z.infer<typeof PathRow>>;

/** The same with what was found on the way upward. */
export const AccessRow = LocatedRow.extend({
  /** Of the place that decides: the resource or a folder above when `near`, else the organization. */
  by_grant: z.boolean().nullable(),
  role: z.number().nullable(),
  until: z.number().nullable(),
  near: z.boolean(),
  path: z.array(PathRow).nullable(),
});
export type AccessRow = Readonly<z.infer<typeof AccessRow>>;

export const refused = (reason: Reason): Verdict => ({
  hasAccess: false,
  accessRole: null,
  expiresAt: null,
  reason,
});

/** What refuses before grants, memberships or the permission provider are looked at. */
export function refusedBefore(row: LocatedRow): Verdict | undefined {
  if (row.resource === null) return refused('not-found');
  if (row.organization_disabled === true) return refused('organization-disabled');
  return row.document_disabled ? refused('document-disabled') : undefined;
}

/** The rule of effective access, on what the statement found. */
export function verdictOf(row: AccessRow): Verdict {
  const before = refusedBefore(row);
  if (before !== undefined) return before;
  const held = row.by_grant === true ? 'grant' : 'membership';
  if (row.kind === resourceKindNumbers.organization) {
    return row.role === null ? refused('organization-private') : allowed(row, held);
  }
  if (row.near) return allowed(row, held);
  return byType(row, accessTypeName(row.type ?? 0));
}

function byType(row: AccessRow, type: AccessType): Verdict {
  switch (type) {
    case 'public':
      return allowed(row, 'public');
    case 'organizationPrivate':
      return row.role === null ? refused('organization-private') : allowed(row, 'organization-private');
    case 'restricted':
      return refused('restricted');
  }
}

const allowed = (row: AccessRow, reason: Reason): Verdict => ({
  hasAccess: true,
  accessRole: row.role === null ? 'editor' : accessRoleName(row.role),
  expiresAt: row.until,
  reason,
});
