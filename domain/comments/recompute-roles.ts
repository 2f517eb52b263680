import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { threadRoles } from './thread-person.entity.ts';

const [author, tagged] = [sql.lit(threadRoles.author), sql.lit(threadRoles.tagged)];
const ofComments = sql.lit(threadRoles.author | threadRoles.tagged);

/** Recomputes authors and tagged users of locked threads after comments changed or were deleted. Deletes unused rows. */
export async function recomputeRoles(em: EntityManager, threads: readonly string[]): Promise<void> {
  if (threads.length === 0) return;
  await sql`with held as materialized (
      select c.* from unnest(${threads}::bigint[]) as t (id)
        cross join lateral (select thread_id, author_id, tagged from comment where thread_id = t.id offset 0) c),
    given as materialized (
      select g.thread_id, g.user_id, bit_or(g.role) as roles from (
        select thread_id, author_id as user_id, ${author} as role from held
        union all select h.thread_id, u.id, ${tagged} from held h cross join lateral unnest(h.tagged) as u (id)) g
      group by g.thread_id, g.user_id)
    update thread_person p set roles = (p.roles & ~${ofComments}) | coalesce(
      (select g.roles from given g where g.thread_id = p.thread_id and g.user_id = p.user_id), 0)
    where p.thread_id = any(${threads}::bigint[]) and p.roles & ${ofComments} <> 0`.execute(tablesOf(em));
  await sql`delete from thread_person where thread_id = any(${threads}::bigint[]) and roles = 0`.execute(
    tablesOf(em),
  );
}

/** Removes the author role of people, by surrogate key, who have no comment left in these locked threads. */
export async function dropAuthors(
  em: EntityManager,
  threads: readonly string[],
  people: readonly { readonly id: string }[],
): Promise<void> {
  if (threads.length === 0) return;
  const held = sql`thread_id = any(${threads}::bigint[]) and user_id = any(${people.map(({ id }) => id)}::bigint[])`;
  await sql`with gone as (delete from thread_person where ${held} and roles & ~${author} = 0)
    update thread_person set roles = roles & ~${author} where ${held} and roles & ~${author} <> 0`.execute(
    tablesOf(em),
  );
}
