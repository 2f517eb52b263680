import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../../platform/database/orm.ts';
import { joinByHash } from '../../../../platform/database/planner.ts';
import { changedBy, rowsOf } from '../../../../platform/database/statements.ts';
import {
  removeDependentsAndNotifications,
  removeNextNotifications,
} from '../../../comments/remove-thread-notifications.ts';
import { removeReadMarks } from '../../../comments/remove-threads.ts';
import { threadRoles } from '../../../comments/thread-person.entity.ts';
import { deleteNext } from '../../../delete-next.ts';
import { tablesOf } from '../../../tables.ts';
import { anyOfPeople } from '../person-index.ts';
import type { PersonScope } from '../personal-data-store.ts';
import {
  lockThreadsByKey,
  subtractingLost,
  subtractingReactions,
  type ThreadWithCounters,
} from './thread-counters.ts';

/** Max reactions that one transaction removes with their comments, and max rows of each table below removed threads. */
const maxDependents = 10_000;

/** Comments of a person to remove. */
export interface NextComments {
  /** Surrogate keys of their threads. A deleted thread may still have comments. */
  readonly threads: readonly string[];
  /** SQL: a comment `c` is one of them, and in one of these threads. */
  readonly isIn: (threads: readonly string[]) => RawBuilder<unknown>;
}

/** The result of a batch. */
export interface RemovedComments {
  readonly counts: { readonly comments: number; readonly commentAnnotations: number };
  /** Remaining threads, by surrogate key, and those of them in which a removed comment tagged users. */
  readonly kept: readonly string[];
  readonly keptWithTags: readonly string[];
}

/**
 * Removes comments with their reactions and notifications, and threads that lose their last comment, under the locks of
 * the threads. Undefined while reactions, notifications or read marks remain: call it again with the same comments. The
 * caller updates the roles of users in the remaining threads.
 */
export async function removeNextComments(
  em: EntityManager,
  scope: PersonScope,
  next: NextComments,
): Promise<RemovedComments | undefined> {
  const locked = await lockThreadsByKey(em, scope, next.threads);
  const counts = new Map(locked.map(({ id, reaction_count }) => [id, reaction_count]));
  const reacted = next.threads.filter((id) => counts.get(id) !== 0);
  const reactionsLeft = await removeReactionsTo(em, scope, next, reacted);
  if ((await removeNotificationsOf(em, scope, next)) || reactionsLeft) return undefined;
  return removeComments(em, scope, next, locked);
}

/** Returns whether reactions may remain. */
async function removeReactionsTo(
  em: EntityManager,
  scope: PersonScope,
  { isIn }: NextComments,
  threads: readonly string[],
): Promise<boolean> {
  if (threads.length === 0) return false;
  const matched = await deleteNext(
    em,
    sql`with next as materialized (
        select r.comment_id, r.icon, r.user_id from (select c.id from comment c where ${isIn(threads)} offset 0) c
        cross join lateral (select * from reaction where comment_id = c.id limit ${sql.lit(maxDependents)}) r
        limit ${sql.lit(maxDependents)}),
      gone as (
        delete from reaction r using next n
        where r.comment_id = n.comment_id and r.icon = n.icon and r.user_id = n.user_id
        returning r.comment_id, r.user_id, octet_length(r.body::text) as bytes),
      ${subtractingReactions(scope)},
      ${rememberingActors(scope)}`,
  );
  return matched === maxDependents;
}

/**
 * SQL: a common table expression that keeps a row for last actors whose reactions `gone` are removed from the threads
 * `lost`. Without their reaction, a deletion of their data finds the thread by this row.
 */
const rememberingActors = ({ users }: PersonScope) => sql`remembered as (
  insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
  select t.id, t.last_actor_id, t.api_key_id, t.org_id, ${sql.lit(threadRoles.named)}
  from lost l cross join lateral (select * from thread where id = l.thread_id offset 0) t
  where t.last_actor_id in (select user_id from gone) and not (t.last_actor_id = ${anyOfPeople(users)})
  order by t.id
  on conflict (thread_id, user_id) do update set roles = thread_person.roles | excluded.roles)`;

const IdRow = z.strictObject({ id: z.string() });
const SubjectRow = z.strictObject({ id: z.string(), thread_id: z.string() });

/** Returns whether notifications may remain. */
async function removeNotificationsOf(
  em: EntityManager,
  { tenantId }: PersonScope,
  { threads, isIn }: NextComments,
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
    sql`select c.id, c.thread_id from comment c where ${isIn(notified.map(({ id }) => id))}`,
  );
  const removed = await removeNextNotifications(em, tenantId, {
    threads: subjects.map(({ thread_id }) => thread_id),
    comments: subjects.map(({ id }) => id),
  });
  return removed.more;
}

const LostRow = z.strictObject({
  thread_id: z.string(),
  comments: z.number(),
  bytes: z.number(),
  tags: z.boolean(),
});

/**
 * Undefined while notifications or read marks of threads without other comments remain. Reads what the locked threads
 * lose before it deletes: PostgreSQL reads each deleted row again to return it, which takes as long as the deletion.
 */
async function removeComments(
  em: EntityManager,
  scope: PersonScope,
  { isIn, threads }: NextComments,
  locked: readonly ThreadWithCounters[],
): Promise<RemovedComments | undefined> {
  const ofPeople = sql`${isIn(threads)} and c.author_id + 0 = ${anyOfPeople(scope.users)}`;
  const [lost] = await Promise.all([
    rowsOf(
      em,
      LostRow,
      sql`select c.thread_id, count(*)::int as comments, sum(octet_length(c.body::text))::int as bytes,
          bool_or(c.tagged <> '{}') as tags
        from comment c where ${ofPeople} group by c.thread_id`,
    ),
    sql`select ${joinByHash}`.execute(tablesOf(em)),
  ]);
  const before = new Map(locked.map((thread) => [thread.id, thread]));
  const emptied: LostThread[] = [];
  const kept: LostThread[] = [];
  for (const { thread_id, ...one } of lost) {
    const thread = before.get(thread_id);
    if (thread !== undefined)
      (thread.comment_count === one.comments ? emptied : kept).push({ ...one, ...thread });
  }
  const gone = emptied.map(({ id }) => id);
  // Notifications and read marks belong to many users, so they may be many more than the comments. They go first.
  const notifications = await removeNextNotifications(em, scope.tenantId, { threads: gone, comments: null });
  if (notifications.more) return undefined;
  if ((await removeReadMarks(em, gone, maxDependents)) === maxDependents) return undefined;
  const comments = await changedBy(
    em,
    sql`with emptied as (delete from thread where id = any(${gone}::bigint[])),
        lost as materialized (
          select * from unnest(${kept.map(({ id }) => id)}::bigint[], ${kept.map(({ comments: count }) => count)}::int[],
            ${kept.map(({ bytes }) => bytes)}::int[]) as l (thread_id, comments, bytes) cross join (select 0 as reactions) r),
        counted as (${subtractingLost(scope)})
      delete from comment c where ${ofPeople}`,
  );
  while ((await removeDependentsAndNotifications(em, scope.tenantId, gone, maxDependents)).more);
  const people = new Set(scope.users.map(({ id }) => id));
  const created = emptied.filter(({ creator_id }) => creator_id !== null && people.has(creator_id)).length;
  return {
    counts: { comments, commentAnnotations: created },
    kept: kept.map(({ id }) => id),
    keptWithTags: kept.filter(({ tags }) => tags).map(({ id }) => id),
  };
}

type LostThread = Omit<z.infer<typeof LostRow>, 'thread_id'> & ThreadWithCounters;
