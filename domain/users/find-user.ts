import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** For a read: the surrogate key of a user that was ever named, undefined for one that was not. */
export async function findUser(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
): Promise<{ readonly id: string } | undefined> {
  return row(em, 'select id from app_user where api_key_id = $1 and ext_id = $2', [tenant.id, userId]);
}
