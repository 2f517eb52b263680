import type { EntityManager } from '../../platform/database/orm.ts';
import { DomainError } from '../errors.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refuseFencedIds } from './lock-users.ts';

/** The organization and the users that a write names, by the customer's ids. */
interface Named {
  readonly organizationId: string;
  readonly userIds: readonly string[];
}

/**
 * Returns the result of `lock`. If it throws NOT_FOUND because the organization or something in it is missing, a fenced
 * user is refused first: the state of a call comes before the existence of what it names.
 */
export async function fencedBeforeMissing<Result>(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, userIds }: Named,
  lock: () => Promise<Result>,
): Promise<Result> {
  try {
    return await lock();
  } catch (error) {
    if (error instanceof DomainError && error.status === 'NOT_FOUND' && userIds.length > 0) {
      const organizations = await tablesOf(em)
        .selectFrom('organization')
        .select('id')
        .where('api_key_id', '=', tenant.id)
        .where('ext_id', '=', organizationId)
        .execute();
      await refuseFencedIds(
        em,
        tenant,
        userIds,
        organizations.map(({ id }) => id),
      );
    }
    throw error;
  }
}
