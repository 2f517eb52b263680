import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { DomainError, type ErrorStatus } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refuseFencedIds } from './lock-users.ts';

/** The organizations and the users that a write names, by the customer's ids. */
interface Named {
  readonly organizationId: string | readonly string[];
  readonly userIds: readonly string[];
}

/** Refusals because of what is missing, or of what is there. */
const ofExistence: ReadonlySet<ErrorStatus> = new Set(['NOT_FOUND', 'ALREADY_EXISTS', 'INVALID_ARGUMENT']);

/** Throws FAILED_PRECONDITION for users that are fenced in one of the organizations; unknown ones have no fence. */
export async function refuseFencedIn(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userIds }: Named,
): Promise<void> {
  if (userIds.length === 0) return;
  const organizations = await tablesOf(em)
    .selectFrom('organization')
    .select('id')
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', anyOf([organizationId].flat()))
    .execute();
  await refuseFencedIds(
    em,
    tenant,
    userIds,
    organizations.map(({ id }) => id),
  );
}

/**
 * Returns the result of `lock`. If it refuses the call because of what is missing or what is there, a fenced user is
 * refused first: the state of a call comes before the existence of what it names.
 */
export async function refusingFencedFirst<Result>(
  em: EntityManager,
  tenant: Tenant,
  named: Named,
  lock: () => Promise<Result>,
): Promise<Result> {
  try {
    return await lock();
  } catch (error) {
    if (error instanceof DomainError && ofExistence.has(error.status))
      await refuseFencedIn(em, tenant, named);
    throw error;
  }
}
