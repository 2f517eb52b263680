import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from './lock-users.ts';

/** User ids, each with an address from a request. */
export type GivenAddresses = readonly (readonly [userId: string, address: string])[];

/** SQL: whether the user `u` has no profile: the row was created because a record names the user. */
export const isBare = sql`u.name = '' and u.email = '' and u.metadata = '{}'`;

/**
 * SQL: whether the address of a row `a` of `user_address` is the id of another user with a profile, and so belongs to
 * that user. The column's collation folds ASCII alone; an id with other capitals takes no address from others.
 */
export const belongsToOther = sql`exists (
  select from user_address b join app_user u on u.id = b.user_id
  where b.api_key_id = a.api_key_id and b.address = a.address and b.user_id <> a.user_id
    and lower(u.ext_id) = a.address and not (${isBare}) offset 0)`;

/** Stores addresses of locked users. Keys of free JSON may be former addresses, so addresses are never removed on change. */
export async function storeAddresses(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  users: LockedUsers,
  given: GivenAddresses,
): Promise<void> {
  const pairs = new Map<string, readonly [user: string, address: string]>();
  for (const [userId, sent] of given) {
    const user = users.get(userId);
    if (user === undefined || !sent.includes('@')) continue;
    const address = sent.toLowerCase();
    pairs.set(`${user} ${address}`, [user, address]);
  }
  if (pairs.size === 0) return;
  const distinct = [...pairs.values()];
  await sql`insert into user_address (api_key_id, address, user_id)
    select ${tenant.id}, a.address, a.user_id
    from unnest(${distinct.map(([user]) => user)}::bigint[], ${distinct.map(([, address]) => address)}::text[]) as a (user_id, address)
    order by a.address collate "C", a.user_id on conflict do nothing`.execute(tablesOf(em));
}
