import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../../platform/database/statements.ts';
import { eachItem, inTurns } from '../../../../platform/process/in-turns.ts';
import { byteChunks } from '../../../byte-chunks.ts';
import { writeComment } from '../../../comments/comment.ts';
import type { CommentBody } from '../../../comments/comment.entity.ts';
import { writeThread } from '../../../comments/prepare-annotation.ts';
import type { ReactionBody } from '../../../comments/reaction.entity.ts';
import { audienceKinds } from '../../../comments/thread-audience.entity.ts';
import { threadRoles } from '../../../comments/thread-person.entity.ts';
import type { ThreadBody } from '../../../comments/thread.entity.ts';
import { tablesOf } from '../../../tables.ts';
import { containsPeople } from '../contains-people.ts';
import { anyOfPeople } from '../person-index.ts';
import type { PersonScope } from '../personal-data-store.ts';
import { withoutPeopleInside, type PersonIdentifiers } from '../without-people.ts';
import { commentNames, commentWithout, threadNames, threadWithout } from './scrubbed-bodies.ts';
import { changed, lockThreadsByKey, recountThreads } from './thread-counters.ts';

const author = sql.lit(threadRoles.author);

const ThreadRow = z.strictObject({ id: z.string(), body: z.custom<ThreadBody>() });
const SizeRow = z.strictObject({ id: z.string(), bytes: z.number() });
const NamingRow = z.strictObject({ thread_id: z.string() });
const CommentRow = z.strictObject({ id: z.string(), body: z.custom<CommentBody>() });
const ReactionRow = z.strictObject({
  comment_id: z.string(),
  icon: z.string(),
  user_id: z.string(),
  body: z.custom<ReactionBody>(),
});

/**
 * Threads in which comments and reactions are scrubbed: all, or those where `thread_person` names the people as more
 * than authors.
 */
export type ScrubbedContents = 'all' | 'of named';

/**
 * Removes people from threads, their comments and reactions under the locks of the threads. The people are creators,
 * assignees, tagged users, in the audience or named in free JSON. Reads one thread or at most 2 MiB at a time. Returns
 * the number of `thread_person` rows removed, or kept only for an author.
 */
export async function scrubThreads(
  em: EntityManager,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  threads: readonly string[],
  contents: ScrubbedContents,
): Promise<number> {
  const locked = (await lockThreadsByKey(em, scope, threads)).map(({ id }) => id);
  for (const chunk of await chunksOf(em, locked, sql`octet_length(body::text)`))
    await scrubBodies(em, scope, identifiers, chunk);
  const naming = contents === 'all' ? locked : await threadsNaming(em, scope, locked);
  for (const chunk of await chunksOf(em, naming, sql`content_bytes`))
    await scrubComments(em, scope, identifiers, chunk);
  await recountThreads(em, scope, naming);
  const people = anyOfPeople(scope.users);
  await sql`delete from thread_audience where thread_id = any(${locked}::bigint[])
    and kind = ${sql.lit(audienceKinds.user)} and ref_id = ${people}`.execute(tablesOf(em));
  // Includes rows of threads that were deleted.
  const named = sql`p.thread_id = any(${threads}::bigint[]) and p.user_id = ${people}`;
  // A bare user of an address may be an author, whose comments stay.
  const writes = sql`exists (select from comment c where c.thread_id = p.thread_id and c.author_id = p.user_id offset 0)`;
  const kept = await changedBy(
    em,
    sql`update thread_person p set roles = ${author}
      where ${named} and p.roles & ${author} <> 0 and p.roles <> ${author} and ${writes}`,
  );
  const removed = await changedBy(
    em,
    sql`delete from thread_person p where ${named} and not (p.roles = ${author} and ${writes})`,
  );
  return kept + removed;
}

async function chunksOf(
  em: EntityManager,
  threads: readonly string[],
  bytes: RawBuilder<unknown>,
): Promise<string[][]> {
  const sizes = await rowsOf(
    em,
    SizeRow,
    sql`select id, ${bytes} as bytes from thread where id = any(${threads}::bigint[]) order by id`,
  );
  return byteChunks(sizes, (size) => size.bytes).map((chunk) => chunk.map(({ id }) => id));
}

/** Threads that name the people as more than authors. Keys of free JSON have an index of their own. */
async function threadsNaming(
  em: EntityManager,
  { users }: PersonScope,
  threads: readonly string[],
): Promise<string[]> {
  const found = await rowsOf(
    em,
    NamingRow,
    sql`select distinct thread_id from thread_person where thread_id = any(${threads}::bigint[])
      and user_id = ${anyOfPeople(users)} and roles & ~${author} <> 0`,
  );
  return found.map(({ thread_id }) => thread_id);
}

async function scrubBodies(
  em: EntityManager,
  scope: PersonScope,
  identifiers: PersonIdentifiers,
  threads: readonly string[],
): Promise<void> {
  const held = await rowsOf(
    em,
    ThreadRow,
    sql`select id, body from thread where id = any(${threads}::bigint[])`,
  );
  const ids = held.map(({ id }) => id);
  const bodies = await inTurns(
    eachItem(held, ({ body }) =>
      threadNames(body, identifiers) ? writeThread(threadWithout(body, identifiers)).json : null,
    ),
  );
  const people = anyOfPeople(scope.users);
  await sql`update thread t set body = coalesce(s.body, t.body), ${changed(scope)},
      content_hash = case when s.body is null then t.content_hash end,
      creator_id = case when t.creator_id = ${people} then null else t.creator_id end,
      resolver_id = case when t.resolver_id = ${people} then null else t.resolver_id end
    from unnest(${ids}::bigint[], ${bodies}::json[]) as s (id, body) where t.id = s.id and t.id = any(${ids}::bigint[])`.execute(
    tablesOf(em),
  );
}

async function scrubComments(
  em: EntityManager,
  { users }: PersonScope,
  identifiers: PersonIdentifiers,
  threads: readonly string[],
): Promise<void> {
  const held = await rowsOf(
    em,
    CommentRow,
    sql`select c.id, c.body from unnest(${threads}::bigint[]) as t (id)
      cross join lateral (select id, body from comment where thread_id = t.id offset 0) c`,
  );
  const scrubbed = await inTurns(
    eachItem(held, ({ id, body }) =>
      commentNames(body, identifiers)
        ? [{ id, json: writeComment(commentWithout(body, identifiers)).json }]
        : [],
    ),
  );
  const changed = scrubbed.flat();
  const ids = changed.map(({ id }) => id);
  const bodies = changed.map(({ json }) => json);
  await sql`update comment c set body = s.body, content_hash = null, tagged = array(
      select u.id from unnest(c.tagged) as u (id) where u.id <> all(${users.map(({ id }) => id)}::bigint[]))
    from unnest(${ids}::bigint[], ${bodies}::json[]) as s (id, body) where c.id = s.id and c.id = any(${ids}::bigint[])`.execute(
    tablesOf(em),
  );
  const comments = held.map(({ id }) => id);
  const reactions = await rowsOf(
    em,
    ReactionRow,
    sql`select r.comment_id, r.icon, r.user_id, r.body from unnest(${comments}::bigint[]) as c (id)
      cross join lateral (select * from reaction where comment_id = c.id offset 0) r`,
  );
  const naming = reactions.filter(({ body }) => containsPeople(body.from, identifiers, 'free'));
  if (naming.length === 0) return;
  await sql`update reaction r set body = s.body from unnest(${naming.map(({ comment_id }) => comment_id)}::bigint[],
      ${naming.map(({ icon }) => icon)}::text[], ${naming.map(({ user_id }) => user_id)}::bigint[],
      ${naming.map(({ body }) => JSON.stringify({ from: withoutPeopleInside(body.from, identifiers, 'free') }))}::json[])
      as s (comment_id, icon, user_id, body)
    where r.comment_id = s.comment_id and r.icon = s.icon and r.user_id = s.user_id
      and r.comment_id = any(${naming.map(({ comment_id }) => comment_id)}::bigint[])`.execute(tablesOf(em));
}
