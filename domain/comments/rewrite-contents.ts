import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { required } from '../../platform/process/required.ts';
import { byteChunks } from '../byte-chunks.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { indexRecords } from '../users/name-index.ts';
import { writeComment, type WrittenComment } from './comment.ts';
import type { CommentBody } from './comment.entity.ts';
import { commentRoles } from './prepare-annotation.ts';
import { replaceInComment } from './replace-users.ts';
import { rewriteReactions, type ContentChange, type UserReplacement } from './rewrite-reactions.ts';
import { refuseLargeBody } from './thread-limits.ts';
import { addRole } from './thread-person.entity.ts';
import { sameJson } from './updated-thread.ts';

const SizeRow = z.strictObject({ id: z.string(), bytes: z.number(), reactions: z.number() });

/**
 * Replaces users in the comments and reactions of locked threads. Returns the changes by surrogate key of the thread.
 */
export async function rewriteContents(
  em: EntityManager,
  tenant: Tenant,
  threads: readonly string[],
  replacement: UserReplacement,
): Promise<Map<string, ContentChange>> {
  const changes = new Map<string, ContentChange>();
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`select c.id, (octet_length(c.body::text) + r.bytes)::int as bytes, r.reactions
      from unnest(${threads}::bigint[]) as t (id)
      cross join lateral (select id, body from comment where thread_id = t.id offset 0) c
      cross join lateral (
        select coalesce(sum(octet_length(body::text)), 0) as bytes, count(*)::int as reactions
        from reaction where comment_id = c.id offset 0) r`,
  );
  // Each comment and each of its reactions may name every new user.
  const growth = Buffer.byteLength(JSON.stringify([...replacement.users.values()]));
  for (const chunk of byteChunks(sizes, ({ bytes, reactions }) => bytes + (1 + reactions) * growth)) {
    const ids = chunk.map(({ id }) => id);
    const threadOf = await rewriteComments(em, tenant, ids, replacement, changes);
    await rewriteReactions(em, tenant, ids, replacement, (comment) =>
      changeOf(changes, required(threadOf.get(comment), 'thread of a rewritten comment')),
    );
  }
  return changes;
}

function changeOf(changes: Map<string, ContentChange>, thread: string): ContentChange {
  const found = changes.get(thread);
  if (found !== undefined) return found;
  const made: ContentChange = { bytes: 0, reactions: 0, roles: new Map() };
  changes.set(thread, made);
  return made;
}

const CommentRow = z.strictObject({
  id: z.string(),
  thread_id: z.string(),
  bytes: z.number(),
  body: z.custom<CommentBody>(),
});

/** Replaces users in the bodies of these comments. Returns the threads of all of them. */
async function rewriteComments(
  em: EntityManager,
  tenant: Tenant,
  comments: readonly string[],
  replacement: UserReplacement,
  changes: Map<string, ContentChange>,
): Promise<ReadonlyMap<string, string>> {
  const rows = await rowsOf(
    em,
    CommentRow,
    sql`select id, thread_id, octet_length(body::text) as bytes, body from comment where id = any(${comments}::bigint[])`,
  );
  const rewritten = await inTurns(
    eachItem(rows, (row) => {
      const body = replaceInComment(row.body, replacement.users);
      refuseLargeBody('updateUsers', row.bytes, body);
      return sameJson(body, row.body) ? [] : [{ row, written: writeComment(body), from: body.from.userId }];
    }),
  );
  const written = rewritten.flat();
  for (const { row, written: comment, from } of written) {
    const change = changeOf(changes, row.thread_id);
    change.bytes += comment.bytes - row.bytes;
    for (const [userId, role] of commentRoles({ body: { from: { userId: from } }, ...comment }))
      addRole(change.roles, userId, role);
  }
  await updateComments(
    em,
    tenant,
    written.map(({ row, written: comment }) => ({ id: row.id, comment })),
    replacement,
  );
  return new Map(rows.map(({ id, thread_id }) => [id, thread_id]));
}

async function updateComments(
  em: EntityManager,
  tenant: Tenant,
  comments: readonly { readonly id: string; readonly comment: WrittenComment }[],
  { keys }: UserReplacement,
): Promise<void> {
  if (comments.length === 0) return;
  const ids = comments.map(({ id }) => id);
  const bodies = await jsonList(comments.map(({ comment }) => comment.json));
  await sql`with replaced as materialized (
      select * from unnest(${[...keys.keys()]}::bigint[], ${[...keys.values()]}::bigint[]) as k (old, new))
    update comment c set body = s.body, updated_at = greatest(c.updated_at, ${Date.now()}::bigint),
      author_id = coalesce((select k.new from replaced k where k.old = c.author_id), c.author_id),
      tagged = array(
        select distinct coalesce(k.new, u.id) from unnest(c.tagged) as u (id) left join replaced k on k.old = u.id order by 1)
    from rows from (unnest(${ids}::bigint[]), json_array_elements(${bodies}::json)) as s (id, body)
    where c.id = s.id and c.id = any(${ids}::bigint[])`.execute(tablesOf(em));
  await indexRecords(
    em,
    tenant,
    'comment',
    comments.map(({ id, comment: { names } }) => ({ id, names })),
  );
}
