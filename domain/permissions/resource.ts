import { sql } from 'kysely';
import { nameOfNumber } from '../name-of-number.ts';
import { resourceKindNumbers, type ResourceKind } from '../tenancy/resource-kinds.ts';
import type { AccessRole } from '../tenancy/access-roles.ts';

/*
 * Where this folder's tables hold a person, for their deletion: `access.user_id` (grants beside memberships, the id again in
 * `user_ext`), by its primary key or, in some organizations, by `access_user_organization`; and `provider_answer.user_id`, by
 * `provider_answer_user`. No JSON names one. Tokens that were signed are stored nowhere.
 */

/** An organization, a folder or a document, as the caller names it. */
export interface Resource {
  readonly type: ResourceKind;
  readonly id: string;
  /** Of an organization: its own id. */
  readonly organizationId: string;
}

/** A resource and what is granted on it. */
export interface Grant extends Resource {
  readonly accessRole: AccessRole;
  /** Unix time in seconds; undefined is without end. */
  readonly expiresAt: number | undefined;
  /** Where it stood in the request, for whoever has to name it in a refusal. */
  readonly place: number;
}

/** Two resources are the same exactly when this text is. */
export const resourceKey = ({ type, id, organizationId }: Resource): string =>
  JSON.stringify([type, organizationId, id]);

/** SQL: `a`, the resources of a call in their order. */
export const resourcesSent = (resources: readonly Resource[]) => sql`
  unnest(${resources.map(({ type }) => resourceKindNumbers[type])}::smallint[],
    ${resources.map(({ organizationId }) => organizationId)}::text[], ${resources.map(({ id }) => id)}::text[])
    with ordinality as a (kind, org_ext_id, ext_id, place)`;

/** SQL: the numbers of kinds of resources, constant parts of a text. */
export const kinds = {
  organization: sql.lit(resourceKindNumbers.organization),
  folder: sql.lit(resourceKindNumbers.folder),
  document: sql.lit(resourceKindNumbers.document),
} as const;

export const resourceKindName = (number: number): ResourceKind => nameOfNumber(resourceKindNumbers, number);
