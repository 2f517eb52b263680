import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { rowsOf } from '../../../../platform/database/statements.ts';
import { tablesOf } from '../../../tables.ts';
import type { PersonScope } from '../personal-data-store.ts';

const LockedRow = z.strictObject({ id: z.string() });

/** Locks threads in the order of their keys, after their writers commit. Deleted ones are left out. */
export async function lockThreadsByKey(
  em: EntityManager,
  { tenantId }: PersonScope,
  threads: readonly string[],
): Promise<string[]> {
  const found = await rowsOf(
    em,
    LockedRow,
    sql`select id from thread where id = any(${threads}::bigint[]) and api_key_id + 0 = ${tenantId} order by id for update`,
  );
  return found.map(({ id }) => id);
}

/** Counts comments and reactions of locked threads again, and forgets people of the scope as their last actors. */
export async function recountThreads(
  em: EntityManager,
  { users }: PersonScope,
  threads: readonly string[],
): Promise<void> {
  if (threads.length === 0) return;
  const people = users.map(({ id }) => id);
  await sql`update thread t set comment_count = n.comments, reaction_count = n.reactions, content_bytes = n.bytes,
      updated_at = greatest(t.updated_at, (extract(epoch from now()) * 1000)::bigint),
      last_actor_id = case when t.last_actor_id = any(${people}::bigint[]) then null else t.last_actor_id end
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
