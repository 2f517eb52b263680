import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { lockLocation, type LocationRequest, type LockedLocation } from '../documents/lock-location.ts';
import { alreadyExists } from '../errors.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { mergedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from './add-annotations.ts';
import { prepareComment, type CommentInput, type PreparedComment } from './comment.ts';
import { commentTexts } from './comment-texts.ts';
import { addedComment } from './emission/added-comment.ts';
import type { ThreadChange } from './emission/change.ts';
import { emitChanges } from './emission/emit-changes.ts';
import { readEmitted } from './emission/read-emitted.ts';
import { timesOf } from './insert-threads.ts';
import { lockThread, type LockedThread } from './lock-threads.ts';
import { assignCommentIds, commentRoles } from './prepare-annotation.ts';
import { refuseLargeThread, refuseManyInvolved } from './thread-limits.ts';
import { verifyAuthors, type VerifiedRequest } from './verify-authors.ts';
import { addRoles, insertComments, keyOf, type InsertedComment, type NewComment } from './write-comments.ts';

export interface CommentsRequest extends VerifiedRequest, Omit<LocationRequest, 'userIds' | 'sharesNames'> {
  readonly annotationId: string;
  /** Their ids are distinct where they are sent. */
  readonly comments: readonly CommentInput[];
}

export interface AddedComments {
  /** In request order. */
  readonly commentIds: readonly number[];
  /** Notifies those whom the call does not. */
  readonly job: CreatedJob | undefined;
}

/** Adds all comments to a thread or none. Repeating the call that added them returns their ids and changes nothing. */
export async function addComments(
  em: EntityManager,
  tenant: Tenant,
  request: CommentsRequest,
): Promise<AddedComments> {
  const prepared = await inTurns(eachItem(request.comments, prepareComment));
  const people = mergedPeople(prepared.map((comment) => comment.people));
  refuseManyUsers(people.userIds.size);
  const location = await lockLocation(em, tenant, { ...request, userIds: [...people.userIds] });
  await admitPeople(em, tenant, location.users, people, [location.organization]);
  const thread = await lockThread(em, tenant, location, request.annotationId);
  const authorIds = request.comments.map(({ body }) => body.from.userId);
  await verifyAuthors(em, tenant, request, location.document, authorIds);
  const repeated = await repeatedIds(em, thread, prepared);
  if (repeated !== undefined) return { commentIds: repeated, job: undefined };
  const ids = assignCommentIds(prepared, Number(thread.last_comment_id));
  refuseLargeThread({
    comments: thread.comment_count + prepared.length,
    reactions: thread.reaction_count,
    contentBytes: thread.content_bytes + bytesOf(prepared),
  });
  const now = Date.now();
  const comments = prepared.map((comment, at): NewComment => {
    const numbered = { ...comment, commentId: ids[at] ?? 0 };
    return { thread: thread.id, comment: numbered, ...timesOf(comment, now) };
  });
  const inserted = await insertComments(em, tenant, location, comments);
  await addRoles(em, tenant, location.organization, rolesOf(thread, comments, location));
  await refuseManyInvolved(em, thread.id);
  await countComments(em, thread, comments, { location, now });
  const job = await emitAdded(em, tenant, { ...request, ...location }, thread, { comments, inserted });
  return { commentIds: ids, job };
}

const bytesOf = (prepared: readonly PreparedComment[]): number =>
  prepared.reduce((sum, { bytes }) => sum + bytes, 0);

const StoredRow = z.strictObject({ ext_id: z.string(), content_hash: z.instanceof(Buffer).nullable() });

/**
 * The ids of comments that the same call has added before; undefined for a new call. Comments without an id are found by
 * their content, which only a call with ids of its own can repeat. Throws ALREADY_EXISTS for another comment with an id.
 */
async function repeatedIds(
  em: EntityManager,
  { id }: LockedThread,
  prepared: readonly PreparedComment[],
): Promise<number[] | undefined> {
  const sent = prepared.flatMap(({ commentId }) => (commentId === undefined ? [] : [commentId]));
  if (sent.length === 0) return undefined;
  const hashes = prepared.map(({ hash }) => hash);
  const stored = await rowsOf(
    em,
    StoredRow,
    sql`select ext_id, content_hash from comment
      where thread_id = ${id} and (ext_id = any(${sent}::bigint[]) or content_hash = any(${hashes}::bytea[])) order by ext_id`,
  );
  const byId = new Map(stored.map(({ ext_id, content_hash }) => [Number(ext_id), content_hash]));
  if (!sent.some((commentId) => byId.has(commentId))) return undefined;
  const free = stored.filter(({ ext_id }) => !sent.includes(Number(ext_id)));
  return prepared.map(({ commentId, hash }) => {
    if (commentId !== undefined) {
      if (byId.get(commentId)?.equals(hash) === true) return commentId;
      throw alreadyExists(commentTexts.commentExists);
    }
    const at = free.findIndex(({ content_hash }) => content_hash?.equals(hash) === true);
    const [found] = at === -1 ? [] : free.splice(at, 1);
    if (found === undefined) throw alreadyExists(commentTexts.commentExists);
    return Number(found.ext_id);
  });
}

function rolesOf(thread: LockedThread, comments: readonly NewComment[], { users }: LockedLocation) {
  const roles = new Map<string, number>();
  for (const { comment } of comments) {
    for (const [userId, role] of commentRoles(comment)) roles.set(userId, (roles.get(userId) ?? 0) | role);
  }
  return [...roles].map(([userId, role]) => ({ thread: thread.id, user: keyOf(users, userId), role }));
}

/** Updates the counters of a locked thread; `updated_at` never decreases. */
async function countComments(
  em: EntityManager,
  thread: LockedThread,
  comments: readonly NewComment[],
  { location, now }: { readonly location: LockedLocation; readonly now: number },
): Promise<void> {
  const ids = comments.map(({ comment }) => comment.commentId);
  const updatedAt = Math.max(
    Number(thread.updated_at),
    now,
    ...comments.map(({ comment }) => comment.lastUpdated ?? 0),
  );
  const last = comments.at(-1)?.comment.body.from.userId ?? '';
  await tablesOf(em)
    .updateTable('thread')
    .set({
      comment_count: thread.comment_count + comments.length,
      content_bytes: thread.content_bytes + bytesOf(comments.map(({ comment }) => comment)),
      last_comment_id: String(Math.max(Number(thread.last_comment_id), ...ids)),
      last_actor_id: keyOf(location.users, last),
      updated_at: String(updatedAt),
    })
    .where('id', '=', thread.id)
    .execute();
}

type EmittedLocation = LockedLocation & Pick<CommentsRequest, 'organizationId' | 'documentId'>;

async function emitAdded(
  em: EntityManager,
  tenant: Tenant,
  location: EmittedLocation,
  { id, ext_id }: LockedThread,
  {
    comments,
    inserted,
  }: { readonly comments: readonly NewComment[]; readonly inserted: readonly InsertedComment[] },
): Promise<CreatedJob | undefined> {
  if (!comments.some(({ comment }) => comment.triggerNotification || comment.triggerActivities))
    return undefined;
  const emitted = (await readEmitted(em, [id])).get(id);
  if (emitted === undefined) throw new Error('missing row of a locked thread');
  const keys = new Map(inserted.map((row) => [Number(row.ext_id), row.id]));
  const changes = comments.map((added): ThreadChange => ({
    ...addedComment('comment.add', ext_id, added, keys.get(added.comment.commentId) ?? ''),
    ...emitted,
  }));
  return emitChanges(em, tenant, location, changes);
}
