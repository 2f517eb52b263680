import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOfIds } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';

/** Reads the customer's ids of users by their surrogate keys. Null for an address without a user; missing ones are absent. */
export async function userIdsOf(
  em: EntityManager,
  tenantId: string,
  users: readonly string[],
): Promise<ReadonlyMap<string, string | null>> {
  const found = await tablesOf(em)
    .selectFrom('app_user')
    .select(['id', 'ext_id'])
    .where('id', '=', anyOfIds([...new Set(users)]))
    .where('api_key_id', '=', tenantId)
    .execute();
  return new Map(found.map(({ id, ext_id }) => [id, ext_id]));
}
