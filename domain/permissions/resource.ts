import { resourceKindNumbers, resourceKinds, type ResourceKind } from '../tenancy/resource-kinds.ts';
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

/** Parallel arrays for `unnest($, $, $)`: kind, organization's id, own id. */
export function resourceColumns(resources: readonly Resource[]): [number[], string[], string[]] {
  return [
    resources.map(({ type }) => resourceKindNumbers[type]),
    resources.map(({ organizationId }) => organizationId),
    resources.map(({ id }) => id),
  ];
}

export function resourceKindName(number: number): ResourceKind {
  const name = resourceKinds.find((kind) => resourceKindNumbers[kind] === number);
  if (name === undefined) throw new Error(`No kind of resource has the number ${String(number)}.`);
  return name;
}
