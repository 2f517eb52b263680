import { sql } from 'kysely';
import { afterCommit, type EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from './lock-users.ts';

/** Addresses that a process remembers to have written. */
const maxRemembered = 50_000;

/** By database. Rows go only with their user, whose key is never given again: what was committed stays true. */
const written = new WeakMap<object, Set<string>>();

const rememberedOf = (em: EntityManager): Set<string> => {
  const driver = em.getDriver();
  const known = written.get(driver) ?? new Set();
  written.set(driver, known);
  return known;
};

/** User ids, each with an address that something sent gives for it. */
export type GivenAddresses = readonly (readonly [userId: string, address: string])[];

/**
 * Writes down which addresses locked users have: keys of free JSON may be one of them, also when the user has another by then.
 * Costs nothing for those that this process has written before.
 */
export async function learnAddresses(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  users: LockedUsers,
  given: GivenAddresses,
): Promise<void> {
  const known = rememberedOf(em);
  const fresh = new Map<string, readonly [string, string]>();
  for (const [userId, sent] of given) {
    const user = users.get(userId);
    if (user === undefined || !sent.includes('@')) continue;
    const address = sent.toLowerCase();
    const key = `${user} ${address}`;
    if (!known.has(key)) fresh.set(key, [user, address]);
  }
  if (fresh.size === 0) return;
  const pairs = [...fresh.values()];
  afterCommit(em, () => {
    if (known.size > maxRemembered) known.clear();
    for (const key of fresh.keys()) known.add(key);
  });
  await sql`insert into user_address (api_key_id, address, user_id)
    select ${tenant.id}, a.address, a.user_id
    from unnest(${pairs.map(([user]) => user)}::bigint[], ${pairs.map(([, address]) => address)}::text[]) as a (user_id, address)
    order by a.address collate "C", a.user_id on conflict do nothing`.execute(tablesOf(em));
}
