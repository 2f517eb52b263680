import { sql } from 'kysely';
import { nameOfNumber } from '../name-of-number.ts';
import { resourceKindNumbers, type ResourceKind } from '../tenancy/resource-kinds.ts';
import type { AccessRole } from '../tenancy/access-roles.ts';

/*
 * Personal data in this folder's tables: `access.user_id` and `user_ext`, found by the primary key or, in one organization, by
 * `access_user_organization`; `provider_answer.user_id`, found by `provider_answer_user`. Signed tokens are not stored.
 */

/** An organization, folder or document, by the caller's ids. */
export interface Resource {
  readonly type: ResourceKind;
  readonly id: string;
  /** For an organization, its own id. */
  readonly organizationId: string;
}

/** A resource and the role to grant on it. */
export interface Grant extends Resource {
  readonly accessRole: AccessRole;
  /** Unix time in seconds; undefined never expires. */
  readonly expiresAt: number | undefined;
  /** Index in the request, for error messages. */
  readonly position: number;
}

/** Returns a key that is equal only for equal resources. */
export const resourceKey = ({ type, id, organizationId }: Resource): string =>
  JSON.stringify([type, organizationId, id]);

/** SQL: `a`, the resources of a call in order; `ordinal` counts from 1. */
export const resourcesSent = (resources: readonly Resource[]) => sql`
  unnest(${resources.map(({ type }) => resourceKindNumbers[type])}::smallint[],
    ${resources.map(({ organizationId }) => organizationId)}::text[], ${resources.map(({ id }) => id)}::text[])
    with ordinality as a (kind, org_ext_id, ext_id, ordinal)`;

/** SQL: the numbers of resource kinds as literals. */
export const kinds = {
  organization: sql.lit(resourceKindNumbers.organization),
  folder: sql.lit(resourceKindNumbers.folder),
  document: sql.lit(resourceKindNumbers.document),
} as const;

export const resourceKindName = (number: number): ResourceKind => nameOfNumber(resourceKindNumbers, number);
