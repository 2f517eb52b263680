import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { LockedUsers } from './lock-users.ts';

/**
 * Adds the surrogate keys of the users named in the members that a record keeps. They passed the write fence when they
 * were added; a deletion that runs meanwhile waits for the lock of the record. Omits users without a row.
 */
export async function withKnownUsers(
  em: EntityManager,
  tenantId: string,
  users: LockedUsers,
  named: Iterable<string>,
): Promise<LockedUsers> {
  const others = [...new Set(named)].filter((userId) => !users.has(userId));
  if (others.length === 0) return users;
  const found = await tablesOf(em)
    .selectFrom('app_user')
    .select(['id', 'ext_id'])
    .where('api_key_id', '=', tenantId)
    .where('ext_id', '=', anyOf(others))
    .$narrowType<{ ext_id: string }>()
    .execute();
  return new Map([...users, ...found.map(({ id, ext_id }) => [ext_id, id] as const)]);
}
