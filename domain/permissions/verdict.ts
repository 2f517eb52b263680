import { z } from 'zod';
import { accessRoleName, type AccessRole } from '../tenancy/access-roles.ts';
import { accessTypeName } from '../tenancy/access-types.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import type { AccessType } from '../tenancy/tenant.ts';

/** The rule or condition that decided. */
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
export type VerdictReason = (typeof reasons)[number];

/** The access of one user to one resource. */
export interface Verdict {
  readonly hasAccess: boolean;
  readonly accessRole: AccessRole | null;
  /**
   * Unix time in seconds when the grant or provider decision that gives the role expires; null never expires. A membership or
   * an access type may give access afterwards.
   */
  readonly expiresAt: number | null;
  readonly reason: VerdictReason;
}

/** One user and one resource of a query, resolved. */
export const LocatedRow = z.strictObject({
  user_ext: z.string(),
  /** Position of the resource in the query, from 1. */
  ordinal: z.number(),
  kind: z.number(),
  ext_id: z.string(),
  org_ext_id: z.string(),
  /** Surrogate keys; null for an unknown id. */
  organization: z.string().nullable(),
  resource: z.string().nullable(),
  organization_disabled: z.boolean().nullable(),
  document_disabled: z.boolean(),
  /** Effective access type; null when not needed. */
  type: z.number().nullable(),
});
export type LocatedRow = Readonly<z.infer<typeof LocatedRow>>;

/** A level on the path from the resource up to its organization. */
const PathRow = z.strictObject({
  kind: z.number(),
  id: z.string(),
  /** The access type set on this level. */
  type: z.number().nullable(),
  /** A grant exists, expired or not. */
  grant: z.boolean(),
  /** An unexpired grant exists. */
  granted: z.boolean(),
  member: z.boolean(),
});
export type PathRow = Readonly<z.infer<typeof PathRow>>;

/** A located row with the deciding grant or membership, and the path when requested. */
const AccessRow = LocatedRow.extend({
  /** From the deciding level: the resource or a folder above it when `near`, else the organization. */
  by_grant: z.boolean().nullable(),
  role: z.number().nullable(),
  until: z.number().nullable(),
  near: z.boolean(),
  path: z.array(PathRow).nullable(),
});
export type AccessRow = Readonly<z.infer<typeof AccessRow>>;

/** An access row as read: without ids, which the query has, so that 10,000 pairs of long ids are not in memory 10,000 times. */
export const FoundAccess = AccessRow.omit({ user_ext: true, ext_id: true, org_ext_id: true }).extend({
  /** Position of the user in the query, from 1. */
  user_ordinal: z.number(),
});

export const refused = (reason: VerdictReason): Verdict => ({
  hasAccess: false,
  accessRole: null,
  expiresAt: null,
  reason,
});

/** Refusals that precede grants, memberships and the permission provider. */
export function refusedBefore(row: LocatedRow): Verdict | undefined {
  if (row.resource === null) return refused('not-found');
  if (row.organization_disabled === true) return refused('organization-disabled');
  return row.document_disabled ? refused('document-disabled') : undefined;
}

/** The rule of effective access, applied to one row. */
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

const allowed = (row: AccessRow, reason: VerdictReason): Verdict => ({
  hasAccess: true,
  accessRole: row.role === null ? 'editor' : accessRoleName(row.role),
  expiresAt: row.until,
  reason,
});
