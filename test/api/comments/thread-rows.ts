import type { TestApi } from '../../support/api.ts';
import type { TestDocument } from '../../support/factories.ts';

/** A stored thread, compared with the rows below it. */
export interface ComparedThread {
  readonly annotationId: string;
  readonly comments: number;
  /** Whether its counts and bytes match its comments and reactions. */
  readonly countersExact: boolean;
  /** Whether its authors and tagged users match its comments, each in their role. */
  readonly rolesExact: boolean;
}

/** The threads of a document, by their ids. */
export async function threadsOf(
  { database }: Pick<TestApi, 'database'>,
  { documentId }: TestDocument,
): Promise<ComparedThread[]> {
  return database.sql<ComparedThread>(
    `select t.ext_id as "annotationId", n.comments,
       t.comment_count = n.comments and t.reaction_count = n.reactions and t.content_bytes = n.bytes as "countersExact",
       r.roles is not distinct from w.roles as "rolesExact"
     from thread t join document d on d.id = t.document_id
     cross join lateral (
       select count(*)::int as comments, coalesce(sum(x.reactions), 0)::int as reactions,
         coalesce(sum(octet_length(c.body::text) + x.bytes), 0)::int as bytes
       from comment c cross join lateral (
         select count(*) as reactions, coalesce(sum(octet_length(body::text)), 0) as bytes from reaction where comment_id = c.id) x
       where c.thread_id = t.id) n
     cross join lateral (
       select array_agg(p.user_id || ':' || (p.roles & 3) order by p.user_id) as roles from thread_person p
       where p.thread_id = t.id and p.roles & 3 <> 0) r
     cross join lateral (
       select array_agg(g.user_id || ':' || g.roles order by g.user_id) as roles from (
         select user_id, bit_or(role) as roles from (
           select author_id as user_id, 1 as role from comment where thread_id = t.id
           union all select u.id, 2 from comment c cross join lateral unnest(c.tagged) u (id) where c.thread_id = t.id) s
         group by user_id) g) w
     where d.ext_id = $1 order by t.ext_id`,
    [documentId],
  );
}
