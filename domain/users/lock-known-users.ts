import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { LockedRow, lockingUsers, refuseDeleted, type LockedUsers } from './lock-users.ts';

/**
 * For a write that does nothing to users that nobody has named before: locks as `lockUsers` does, and makes no rows.
 * Ids that are unknown are absent. The fence is read afterwards, in a statement of its own.
 */
export async function lockKnownUsers(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
): Promise<LockedUsers> {
  const locked = await rowsOf(em, LockedRow, lockingUsers(tenant.id, userIds));
  if (locked.length < userIds.length) await refuseDeleted(em, tenant, userIds);
  return new Map(locked.map(({ ext_id, id }) => [ext_id, id]));
}
