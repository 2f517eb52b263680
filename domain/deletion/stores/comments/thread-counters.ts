import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { rowsOf } from '../../../../platform/database/statements.ts';
import { tablesOf } from '../../../tables.ts';
import type { PersonScope } from '../personal-data-store.ts';

const LockedRow = z.strictObject({
  id: z.string(),
  org_id: z.string(),
  creator_id: z.string().nullable(),
  comment_count: z.number(),
  reaction_count: z.number(),
});
export type ThreadWithCounters = z.infer<typeof LockedRow>;

/** Locks threads in the order of their keys, after their writers commit. Omits deleted ones. */
export async function lockThreadsByKey(
  em: EntityManager,
  { tenantId }: PersonScope,
  threads: readonly string[],
): Promise<ThreadWithCounters[]> {
  return rowsOf(
    em,
    LockedRow,
    sql`select id, org_id, creator_id, comment_count, reaction_count from thread where id = any(${threads}::bigint[]) and api_key_id + 0 = ${tenantId}
      order by id for update`,
  );
}

/** SQL: assignments of a changed thread `t`, which forgets people of the scope as its last actors. */
export const changed = ({ users }: PersonScope): RawBuilder<unknown> => {
  const people = users.map(({ id }) => id);
  return sql`updated_at = greatest(t.updated_at, (extract(epoch from now()) * 1000)::bigint),
    last_actor_id = case when t.last_actor_id = any(${people}::bigint[]) then null else t.last_actor_id end`;
};

/** SQL: a thread `t` of `lost`, in a form that every plan finds by its key. */
const lostThread = sql`t.id = any(array(select thread_id from lost))`;

/** SQL: subtracts the removed rows that `lost` counts by thread from the counters of locked threads `t`. */
export const subtractingLost = (scope: PersonScope): RawBuilder<unknown> =>
  sql`update thread t set comment_count = t.comment_count - l.comments, reaction_count = t.reaction_count - l.reactions,
      content_bytes = t.content_bytes - l.bytes, ${changed(scope)}
    from lost l where t.id = l.thread_id and ${lostThread}`;

/** SQL: common table expressions that subtract the removed reactions `gone (comment_id, bytes)` from their threads. */
export const subtractingReactions = (scope: PersonScope): RawBuilder<unknown> =>
  sql`lost as (
      select c.thread_id, 0 as comments, count(*)::int as reactions, sum(g.bytes)::int as bytes
      from gone g cross join lateral (select thread_id from comment where id = g.comment_id offset 0) c group by c.thread_id),
    counted as (${subtractingLost(scope)})`;

/** Recounts the comments and reactions of locked threads after their bodies changed. */
export async function recountThreads(
  em: EntityManager,
  scope: PersonScope,
  threads: readonly string[],
): Promise<void> {
  if (threads.length === 0) return;
  await sql`update thread t set comment_count = n.comments, reaction_count = n.reactions, content_bytes = n.bytes,
      ${changed(scope)}
    from unnest(${threads}::bigint[]) as k (id) cross join lateral (
      select count(*)::int as comments, coalesce(sum(c.reactions), 0)::int as reactions,
        coalesce(sum(octet_length(c.body::text) + c.bytes), 0)::int as bytes
      from (
        select c.body, r.reactions, r.bytes from comment c cross join lateral (
          select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes from reaction where comment_id = c.id offset 0) r
        where c.thread_id = k.id offset 0) c
      offset 0) n
    where t.id = k.id and t.id = any(${threads}::bigint[])`.execute(tablesOf(em));
}
