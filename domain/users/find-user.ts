import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** For a read: the surrogate key of a user that was ever named, undefined for one that was not. */
export async function findUser(
  em: EntityManager,
  tenant: Tenant,
  userId: string,
): Promise<{ readonly id: string } | undefined> {
  return tablesOf(em)
    .selectFrom('app_user')
    .select('id')
    .where('api_key_id', '=', tenant.id)
    .where('ext_id', '=', userId)
    .executeTakeFirst();
}
