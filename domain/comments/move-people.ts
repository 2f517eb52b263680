import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { audienceKinds } from './thread-audience.entity.ts';
import { addRoles, type ThreadRole } from './write-comments.ts';

const MovedRow = z.strictObject({ thread_id: z.string(), user_id: z.string(), roles: z.number() });

/**
 * Moves the roles of users in locked threads, and their entries in the audience, to other users. `keys`: new surrogate
 * keys by old ones.
 */
export async function movePeople(
  em: EntityManager,
  tenant: Tenant,
  organization: string,
  threads: readonly string[],
  keys: ReadonlyMap<string, string>,
): Promise<void> {
  const [olds, news] = [[...keys.keys()], [...keys.values()]];
  const moved = await rowsOf(
    em,
    MovedRow,
    sql`delete from thread_person where thread_id = any(${threads}::bigint[]) and user_id = any(${olds}::bigint[])
      returning thread_id, user_id, roles`,
  );
  await addRoles(
    em,
    tenant,
    organization,
    mergedRoles(
      moved.map(({ thread_id, user_id, roles }) => ({
        thread: thread_id,
        user: keys.get(user_id) ?? user_id,
        role: roles,
      })),
    ),
  );
  await sql`with moved as (
      delete from thread_audience a using unnest(${olds}::bigint[], ${news}::bigint[]) as k (old, new)
      where a.thread_id = any(${threads}::bigint[]) and a.kind = ${sql.lit(audienceKinds.user)}
        and a.ref_id = k.old
      returning a.thread_id, k.new)
    insert into thread_audience (thread_id, kind, ref_id, api_key_id)
    select distinct thread_id, ${sql.lit(audienceKinds.user)}::smallint, new, ${tenant.id}::bigint from moved
    order by 1, 3 on conflict do nothing`.execute(tablesOf(em));
}

/** Merges the roles of each pair of a thread and a user. */
export function mergedRoles(roles: readonly ThreadRole[]): ThreadRole[] {
  const merged = new Map<string, ThreadRole>();
  for (const { thread, user, role } of roles) {
    const key = `${thread} ${user}`;
    merged.set(key, { thread, user, role: (merged.get(key)?.role ?? 0) | role });
  }
  return [...merged.values()];
}
