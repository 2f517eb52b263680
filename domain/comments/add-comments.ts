import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { eachItem, inTurns, type Pausable } from '../../platform/process/in-turns.ts';
import { required } from '../../platform/process/required.ts';
import { lockLocationAndPeople } from '../documents/lock-location-and-people.ts';
import type { LocationRequest, LockedLocation } from '../documents/lock-location.ts';
import { alreadyExists, notFound } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { mergedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { prepareComment, type CommentInput, type PreparedComment } from './comment.ts';
import { commentTexts } from './comment-texts.ts';
import { addedComment } from './emission/added-comment.ts';
import type { ThreadChange } from './emission/change.ts';
import { emitThreads } from './emission/emit-changes.ts';
import { GrowingThread } from './growing-thread.ts';
import { lockThreads, type LockedThread } from './lock-threads.ts';
import { commentRoles } from './prepare-annotation.ts';
import { refuseManyInvolved } from './thread-limits.ts';
import { addRole } from './thread-person.entity.ts';
import { verifyAuthors, type VerifiedRequest } from './verify-authors.ts';
import {
  addingRoles,
  commentColumns,
  commentLists,
  indexComments,
  userKeyOf,
  needsKeys,
  sentColumns,
  type CommentKeysById,
  type ThreadRole,
} from './write-comments.ts';

/** Comments to add to annotations of one document. */
export interface CommentsRequest extends VerifiedRequest, Omit<LocationRequest, 'userIds' | 'sharesNames'> {
  readonly additions: readonly {
    readonly annotationId: string;
    /** Sent ids are distinct. */
    readonly comments: readonly CommentInput[];
  }[];
}

/** The result of a call. */
export interface AddedComments {
  /** The ids of each addition's comments, in request order. */
  readonly commentIds: readonly (readonly number[])[];
  /** Notifies the remaining recipients; undefined when there are none. */
  readonly job: CreatedJob | undefined;
}

/**
 * Adds all comments to threads of a document or none. Repeating an addition with an id returns its ids, without a
 * change.
 */
export async function addComments(
  em: EntityManager,
  tenant: Tenant,
  request: CommentsRequest,
): Promise<AddedComments> {
  const { additions } = request;
  const prepared = await inTurns(prepareAll(additions));
  const people = mergedPeople(prepared.flatMap((comments) => comments.map((comment) => comment.people)));
  refuseManyUsers(people.userIds.size);
  const location = await lockLocationAndPeople(em, tenant, request, people);
  const annotationIds = new Set(additions.map(({ annotationId }) => annotationId));
  const locked = await lockThreads(em, tenant, location, [...annotationIds]);
  if (locked.length < annotationIds.size) throw notFound(commentTexts.annotationMissing);
  const authorIds = prepared.flatMap((comments) => comments.map(({ body }) => body.from.userId));
  await verifyAuthors(em, tenant, request, location.document, authorIds);
  const growing = new Map(locked.map((thread) => [thread.ext_id, new GrowingThread(thread)]));
  const commentIds: (readonly number[])[] = [];
  const now = Date.now();
  for (const [at, { annotationId }] of additions.entries()) {
    const thread = required(growing.get(annotationId), 'row of a locked thread');
    const comments = prepared[at] ?? [];
    commentIds.push((await repeatedIds(em, thread.before, comments)) ?? thread.add(comments, now));
  }
  const grown = [...growing.values()].filter(({ added }) => added.length > 0);
  if (grown.length === 0) return { commentIds, job: undefined };
  const keys = await insertComments(em, tenant, grown, { location, now });
  return { commentIds, job: await emitAdded(em, tenant, { ...request, ...location }, grown, keys) };
}

function* prepareAll(additions: CommentsRequest['additions']): Pausable<(readonly PreparedComment[])[]> {
  const prepared: (readonly PreparedComment[])[] = [];
  for (const { comments } of additions) prepared.push(yield* eachItem(comments, prepareComment));
  return prepared;
}

const StoredRow = z.strictObject({ ext_id: z.string(), content_hash: z.instanceof(Buffer).nullable() });
type StoredRow = z.infer<typeof StoredRow>;

/**
 * Returns the ids of comments that an equal call has added before; undefined for a new call. A call without any id is
 * new. Throws ALREADY_EXISTS for an id of another comment.
 */
async function repeatedIds(
  em: EntityManager,
  { id }: LockedThread,
  prepared: readonly PreparedComment[],
): Promise<number[] | undefined> {
  const sent = prepared.flatMap(({ commentId }) => (commentId === undefined ? [] : [commentId]));
  if (sent.length === 0) return undefined;
  const stored = await rowsOf(
    em,
    StoredRow,
    sql`select ext_id, content_hash from comment where thread_id = ${id} and ext_id = any(${sent}::bigint[])`,
  );
  if (stored.length === 0) return undefined;
  const isRepeated = ({ commentId, hash }: PreparedComment, found: StoredRow | undefined): boolean =>
    found?.content_hash?.equals(hash) === true &&
    (commentId ?? Number(found.ext_id)) === Number(found.ext_id);
  const byId = new Map(stored.map((row) => [Number(row.ext_id), row]));
  const run =
    sent.length === prepared.length
      ? sent.map((commentId) => byId.get(commentId))
      : await addedWith(em, id, prepared, new Set(byId.keys()));
  if (!prepared.every((one, at) => isRepeated(one, run[at]))) throw alreadyExists(commentTexts.commentExists);
  return run.map((row) => Number(row?.ext_id));
}

/**
 * Reads the comments that a call would have added together with one of `known`. The comments of a call follow each other in
 * the order of surrogate keys, because it locks the thread.
 */
async function addedWith(
  em: EntityManager,
  thread: string,
  prepared: readonly PreparedComment[],
  known: ReadonlySet<number>,
): Promise<readonly (StoredRow | undefined)[]> {
  const rows = await rowsOf(
    em,
    StoredRow,
    sql`select ext_id, content_hash from comment where thread_id = ${thread} order by id`,
  );
  const anchor = prepared.findIndex(({ commentId }) => commentId !== undefined && known.has(commentId));
  const found = rows.findIndex(({ ext_id }) => Number(ext_id) === prepared[anchor]?.commentId);
  return prepared.map((_, at) => rows[found - anchor + at]);
}

function rolesOf({ before, added }: GrowingThread, { users }: LockedLocation): ThreadRole[] {
  const roles = new Map<string, number>();
  for (const { comment } of added)
    for (const [userId, role] of commentRoles(comment)) addRole(roles, userId, role);
  return [...roles].map(([userId, role]) => ({ thread: before.id, user: userKeyOf(users, userId), role }));
}

const InsertedRow = z.strictObject({ id: z.string(), thread_id: z.string(), ext_id: z.string() });

/**
 * Inserts comments with free ids into locked threads, adds the roles of their users, and updates the counters of the
 * threads; `updated_at` never decreases. Returns the surrogate keys of comments that need them, by those of the threads.
 */
async function insertComments(
  em: EntityManager,
  tenant: Tenant,
  grown: readonly GrowingThread[],
  { location, now }: { readonly location: LockedLocation; readonly now: number },
): Promise<ReadonlyMap<string, CommentKeysById>> {
  const { organization, users } = location;
  const added = grown.flatMap((thread) => thread.added);
  const threads = grown.map(({ before }) => before.id);
  const roles = grown.flatMap((thread) => rolesOf(thread, location));
  const sent = await commentLists(sql`${added.map(({ thread }) => thread)}::bigint[]`, added, users);
  const keyed = added.some(({ comment }) => needsKeys(comment)) ? sql`true` : sql`false`;
  const inserting = sql`with c as (
      insert into comment (api_key_id, org_id, thread_id, ${commentColumns})
      select ${tenant.id}, ${organization}, s.thread, ${sentColumns} from ${sent}
      order by s.nth returning id, thread_id, ext_id),
    p as (${addingRoles(tenant, organization, roles)}),
    t as (${countingComments(grown, { location, now })})
    select id, thread_id, ext_id from c where ${keyed}`;
  const [rows] = await Promise.all([rowsOf(em, InsertedRow, inserting), refuseManyInvolved(em, threads)]);
  countUsage(em, tenant.id, 'comments', added.length);
  const byThread = Map.groupBy(rows, ({ thread_id }) => thread_id);
  const keys = new Map(
    [...byThread].map(([thread, own]) => [
      thread,
      new Map(own.map(({ id, ext_id }) => [Number(ext_id), id])),
    ]),
  );
  await indexComments(em, tenant, added, keys);
  return keys;
}

/** SQL: updates the counters of locked threads. */
function countingComments(
  grown: readonly GrowingThread[],
  { location: { users }, now }: { readonly location: LockedLocation; readonly now: number },
): RawBuilder<unknown> {
  const ids = grown.map(({ before }) => before.id);
  const lastActors = grown.map(({ added }) => userKeyOf(users, added.at(-1)?.comment.body.from.userId ?? ''));
  const updatedAt = grown.map(({ added }) =>
    Math.max(now, ...added.map(({ comment }) => comment.lastUpdated ?? 0)),
  );
  return sql`update thread t set comment_count = t.comment_count + s.added, content_bytes = s.bytes, last_comment_id = s.last_id,
      last_actor_id = s.actor, updated_at = greatest(t.updated_at, s.updated_at)
    from unnest(${ids}::bigint[], ${grown.map(({ added }) => added.length)}::int[],
      ${grown.map(({ contentBytes }) => contentBytes)}::int[], ${grown.map(({ lastId }) => lastId)}::bigint[],
      ${lastActors}::bigint[], ${updatedAt}::bigint[]) as s (id, added, bytes, last_id, actor, updated_at)
    where t.id = s.id and t.id = any(${ids}::bigint[])`;
}

type EmittedLocation = LockedLocation & Pick<CommentsRequest, 'organizationId' | 'documentId'>;

async function emitAdded(
  em: EntityManager,
  tenant: Tenant,
  location: EmittedLocation,
  grown: readonly GrowingThread[],
  keys: ReadonlyMap<string, CommentKeysById>,
): Promise<CreatedJob | undefined> {
  const emitting = grown.filter(({ added }) =>
    added.some(({ comment }) => comment.triggerNotification || comment.triggerActivities),
  );
  if (emitting.length === 0) return undefined;
  const addedTo = new Map(emitting.map(({ before, added }) => [before.id, { before, added }]));
  return emitThreads(em, tenant, location, [...addedTo.keys()], (thread, state) => {
    const { before, added } = required(addedTo.get(thread), 'comments of an emitted thread');
    return added.map((one): ThreadChange => {
      const key = required(keys.get(thread)?.get(one.comment.commentId), 'key of an inserted comment');
      return { ...addedComment('comment.add', before.ext_id, one, key), ...state };
    });
  });
}
