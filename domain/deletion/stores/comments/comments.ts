import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../../../platform/database/statements.ts';
import { recomputeRoles } from '../../../comments/recompute-roles.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
} from '../../../comments/remove-thread-notifications.ts';
import { anyOfPeople, BatchRow, hasRows, runBatch, stepOf, type PersonIndex } from '../person-index.ts';
import type { PersonalDataStore, PersonScope, StoreCursor } from '../personal-data-store.ts';
import { lockThreadsByKey, lostThread, subtractingLost, subtractingReactions } from './thread-counters.ts';

/**
 * Rows per batch. A removed batch locks up to 1,000 threads: where comments are spread over more, it is a `spread` one.
 * Reactions are removed with their comment, up to this many at once.
 */
const chunk = { count: 100_000, remove: 20_000, spread: 1_000, reactions: 10_000 } as const;
const maxThreads = 1_000;

const index: PersonIndex = {
  table: 'comment',
  columns: ['author_id', 'org_id', 'id'],
  organization: { column: 'org_id' },
};

const NextRow = BatchRow.extend({ ids: z.string().nullable(), threads: z.array(z.string()) });

/** Comments to remove. */
interface NextComments {
  /** Surrogate keys as an array literal of PostgreSQL. */
  readonly ids: string;
  /** Surrogate keys of their threads; one that was deleted may have comments left. */
  readonly threads: readonly string[];
}

/**
 * Comments that a person wrote, by comment_author, with their reactions and notifications. A thread without a comment of anyone else
 * goes; the locks of threads decide.
 */
export const comments: PersonalDataStore = {
  name: 'comments',
  kinds: ['comments', 'commentAnnotations'],
  async remove(em, scope, after) {
    let limit: number = chunk.remove;
    let batch = await nextBatch(em, scope, after, limit);
    if ((batch?.threads.length ?? 0) > maxThreads) {
      limit = chunk.spread;
      batch = await nextBatch(em, scope, after, limit);
    }
    if (batch === undefined || batch.ids === null) return { counts: {}, last: null };
    const next = { ids: batch.ids, threads: batch.threads };
    const locked = await lockThreadsByKey(em, scope, next.threads);
    const mayHaveReactions =
      locked.length < next.threads.length || locked.some(({ reaction_count }) => reaction_count > 0);
    const reactionsLeft = mayHaveReactions && (await removeReactionsTo(em, scope, next));
    // Removed rows are not found again: the batch with more reactions or notifications starts again.
    if ((await removeNotificationsOf(em, scope, next)) || reactionsLeft)
      return { counts: {}, last: after ?? [scope.users[0]?.id ?? '0'] };
    return stepOf(batch, limit, await removeComments(em, scope, next));
  },
  async count(em, scope, after) {
    const batch = await runBatch(em, index, scope, after, { limit: chunk.count, row: BatchRow });
    return stepOf(batch, chunk.count, { comments: batch?.found ?? 0 });
  },
  remains: async (em, scope) => hasRows(em, index, scope),
};

const nextBatch = async (em: EntityManager, scope: PersonScope, after: StoreCursor | null, limit: number) =>
  runBatch(em, index, scope, after, {
    limit,
    row: NextRow,
    also: sql`t.thread_id`,
    select: sql`(select array_agg(n.id)::text from next n) as ids,
      array(select n.thread_id::text from next n group by n.thread_id) as threads`,
  });

const RemovedReactionsRow = z.strictObject({ reactions: z.number() });

/** Returns whether reactions may be left. */
async function removeReactionsTo(
  em: EntityManager,
  scope: PersonScope,
  { ids }: NextComments,
): Promise<boolean> {
  const removed = await rowOf(
    em,
    RemovedReactionsRow,
    sql`with next as materialized (
        select r.comment_id, r.icon, r.user_id from unnest(${ids}::bigint[]) as c (id)
        cross join lateral (select * from reaction where comment_id = c.id limit ${sql.lit(chunk.reactions)}) r
        limit ${sql.lit(chunk.reactions)}),
      gone as (
        delete from reaction r using next n
        where r.comment_id = n.comment_id and r.icon = n.icon and r.user_id = n.user_id
        returning r.comment_id, octet_length(r.body::text) as bytes),
      ${subtractingReactions(scope)}
      select count(*)::int as reactions from gone`,
  );
  return removed?.reactions === chunk.reactions;
}

const IdRow = z.strictObject({ id: z.string() });
const SubjectRow = z.strictObject({ id: z.string(), thread_id: z.string() });

/** Returns whether notifications may be left. */
async function removeNotificationsOf(
  em: EntityManager,
  { tenantId }: PersonScope,
  { ids, threads }: NextComments,
): Promise<boolean> {
  const notified = await rowsOf(
    em,
    IdRow,
    sql`select k.id from unnest(${threads}::bigint[]) as k (id)
      where exists (select from notification n where n.thread_id = k.id)`,
  );
  if (notified.length === 0) return false;
  const subjects = await rowsOf(
    em,
    SubjectRow,
    sql`select id, thread_id from comment
      where id = any(${ids}::bigint[]) and thread_id + 0 = any(${notified.map(({ id }) => id)}::bigint[])`,
  );
  const removed = await removeNextNotifications(em, tenantId, {
    threads: subjects.map(({ thread_id }) => thread_id),
    comments: subjects.map(({ id }) => id),
  });
  return removed.more;
}

const RemovedRow = z.strictObject({
  comments: z.number(),
  /** Removed threads that these people created. */
  created: z.number(),
  emptied: z.array(z.string()),
  kept: z.array(z.string()),
});

/** Removes comments of locked threads, and the threads that lose their last one. Returns the numbers of records. */
async function removeComments(
  em: EntityManager,
  scope: PersonScope,
  { ids }: NextComments,
): Promise<{ comments: number; commentAnnotations: number }> {
  const people = anyOfPeople(scope.users);
  const removed = await rowOf(
    em,
    RemovedRow,
    sql`with gone as (
        delete from comment where id = any(${ids}::bigint[]) and author_id + 0 = ${people}
        returning thread_id, octet_length(body::text) as bytes),
      lost as (
        select thread_id, count(*)::int as comments, 0 as reactions, sum(bytes)::int as bytes from gone group by thread_id),
      emptied as (
        delete from thread t using lost l where t.id = l.thread_id and ${lostThread} and t.comment_count = l.comments
        returning t.id, coalesce(t.creator_id = ${people}, false) as created),
      counted as (${subtractingLost(scope)} and t.comment_count > l.comments returning t.id)
      select coalesce((select sum(comments) from lost), 0)::int as comments,
        (select count(*) from emptied where created)::int as created,
        array(select id::text from emptied) as emptied, array(select id::text from counted) as kept`,
  );
  const { comments: count = 0, created = 0, emptied = [], kept = [] } = removed ?? {};
  await recomputeRoles(em, kept);
  while ((await removeDependentsAndNotifications(em, scope.tenantId, emptied, chunk.reactions)).more);
  return { comments: count, commentAnnotations: created };
}
