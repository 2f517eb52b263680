import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { LockedRow, lockingUsers, refuseFencedEverywhere, type LockedUsers } from './lock-users.ts';

/**
 * Locks known users like `lockUsers`, but creates no rows: the result omits unknown ids. The caller reads the write fence
 * afterwards, in a separate statement.
 */
export async function lockKnownUsers(
  em: EntityManager,
  tenant: Tenant,
  userIds: readonly string[],
): Promise<LockedUsers> {
  const locked = await rowsOf(em, LockedRow, lockingUsers(tenant.id, userIds));
  if (locked.length < userIds.length) await refuseFencedEverywhere(em, tenant, userIds);
  return new Map(locked.map(({ ext_id, id }) => [ext_id, id]));
}
