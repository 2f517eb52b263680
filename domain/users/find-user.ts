import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Finds a user for a read. Undefined for a user that no request has named. */
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
