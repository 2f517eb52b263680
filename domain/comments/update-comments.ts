import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { eachItem, inTurns } from '../../platform/process/in-turns.ts';
import { done, type Outcomes } from '../batch.ts';
import { lockLocation, type LockedLocation } from '../documents/lock-location.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { indexRecords } from '../users/name-index.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import { peopleOfComment, type CommentPeople } from './comment.ts';
import { editComments, type CommentUpdate, type EditedComment, type EditedComments } from './edit-comment.ts';
import { emitComments, renderComments } from './emission/emit-comments.ts';
import { lockThread, type LockedThread } from './lock-threads.ts';
import { recomputeRoles } from './recompute-roles.ts';
import { commentOutcomes, selectComments, type CommentSelection } from './select-comments.ts';
import { refuseManyInvolved } from './thread-limits.ts';
import { addRole, threadRoles } from './thread-person.entity.ts';
import { addRoles, userKeyOf } from './write-comments.ts';

/** Comments of one annotation to update, and the update. */
export interface CommentUpdateRequest extends CommentSelection {
  readonly organizationId: string;
  readonly documentId: string;
  readonly annotationId: string;
  readonly updatedData: CommentUpdate;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** The result of a call. */
export interface UpdatedComments {
  readonly outcomes: Outcomes<{ readonly id: number }>;
  /** Notifies the remaining recipients; undefined when there are none. */
  readonly job: CreatedJob | undefined;
}

/** Replaces members of comments of an annotation. An unchanged comment keeps its times and emits nothing. */
export async function updateComments(
  em: EntityManager,
  tenant: Tenant,
  request: CommentUpdateRequest,
): Promise<UpdatedComments> {
  const { updatedData, organizationId, documentId } = request;
  const sent = peopleOfComment(updatedData);
  refuseManyUsers(sent.people.userIds.size);
  const location = await lockLocation(em, tenant, { ...request, userIds: [...sent.people.userIds] });
  await admitPeople(em, tenant, location.users, sent.people, [location.organization]);
  const thread = await lockThread(em, tenant, location, request.annotationId);
  const comments = await selectComments(em, tenant, thread, request);
  const size = {
    comments: thread.comment_count,
    reactions: thread.reaction_count,
    contentBytes: thread.content_bytes,
  };
  const now = Date.now();
  const update = await inTurns(editComments(comments, updatedData, size, now));
  const outcomes = commentOutcomes(request, comments, done('Updated successfully'));
  const { edited } = update;
  if (edited.length === 0) return { outcomes, job: undefined };
  await writeEdited(em, tenant, request, location, { edited, sent });
  await writeRoles(em, tenant, request, location, { thread, sent });
  await writeThread(em, request, location, thread, update);
  const { triggerNotification, triggerActivities } = request;
  if (!triggerNotification && !triggerActivities) return { outcomes, job: undefined };
  const changes = await inTurns(
    eachItem(edited, ({ stored, body, createdAt, updatedAt }) => ({
      comment: { ...stored, body, created_at: String(createdAt), updated_at: String(updatedAt) },
      actor: body.from,
      named: newlyTagged(sent, stored.body.taggedUserContacts),
    })),
  );
  const namedLocation = { ...location, organizationId, documentId };
  const job = await emitComments(em, tenant, namedLocation, thread, {
    type: 'comment.update',
    changes: await renderComments(em, thread, changes),
    triggerNotification,
    triggerActivities,
  });
  return { outcomes, job };
}

/** Returns the tagged users that a comment did not tag before. */
export function newlyTagged(
  { tagged }: Pick<CommentPeople, 'tagged'>,
  before: readonly { readonly userId: string }[] = [],
): string[] {
  const known = new Set(before.map(({ userId }) => userId));
  return [...tagged].filter((userId) => !known.has(userId));
}

/** Writes up to 8 MiB in one statement, and indexes the names. */
async function writeEdited(
  em: EntityManager,
  tenant: Tenant,
  { updatedData: { from, taggedUserContacts } }: CommentUpdateRequest,
  { users }: LockedLocation,
  { edited, sent }: { readonly edited: readonly EditedComment[]; readonly sent: CommentPeople },
): Promise<void> {
  const ids = edited.map(({ stored }) => stored.id);
  const bodies = await jsonList(edited.map(({ written }) => written.json));
  const author = from === undefined ? sql`` : sql`author_id = ${userKeyOf(users, from.userId)}::bigint,`;
  const tagged =
    taggedUserContacts === undefined
      ? sql``
      : sql`tagged = ${[...sent.tagged].map((userId) => userKeyOf(users, userId))}::bigint[],`;
  await sql`update comment c set ${author} ${tagged} created_at = s.created_at, updated_at = s.updated_at, body = s.body
    from rows from (
        unnest(${ids}::bigint[], ${edited.map(({ createdAt }) => createdAt)}::bigint[],
          ${edited.map(({ updatedAt }) => updatedAt)}::bigint[]),
        json_array_elements(${bodies}::json)) as s (id, created_at, updated_at, body)
    where c.id = s.id and c.id = any(${ids}::bigint[])`.execute(tablesOf(em));
  const named = edited.map(({ stored, written }) => ({ id: stored.id, names: written.names }));
  await indexRecords(em, tenant, 'comment', named);
}

async function writeRoles(
  em: EntityManager,
  tenant: Tenant,
  { updatedData: { from } }: CommentUpdateRequest,
  { organization, users }: LockedLocation,
  { thread, sent }: { readonly thread: LockedThread; readonly sent: CommentPeople },
): Promise<void> {
  const roles = new Map([...sent.named].map((userId) => [userId, threadRoles.named as number]));
  for (const userId of sent.tagged) addRole(roles, userId, threadRoles.tagged);
  if (from !== undefined) addRole(roles, from.userId, threadRoles.author);
  const rows = [...roles].map(([userId, role]) => ({
    thread: thread.id,
    user: userKeyOf(users, userId),
    role,
  }));
  await addRoles(em, tenant, organization, rows);
  await recomputeRoles(em, [thread.id]);
  await refuseManyInvolved(em, [thread.id]);
}

/** Updates the bytes, last actor and time of a locked thread; `updated_at` never decreases. */
async function writeThread(
  em: EntityManager,
  { updatedData: { from } }: CommentUpdateRequest,
  { users }: LockedLocation,
  thread: LockedThread,
  { edited, contentBytes, updatedAt }: EditedComments,
): Promise<void> {
  const author = edited.at(-1)?.stored.author_id ?? null;
  await tablesOf(em)
    .updateTable('thread')
    .set({
      content_bytes: contentBytes,
      last_actor_id: from === undefined ? author : userKeyOf(users, from.userId),
      updated_at: String(Math.max(Number(thread.updated_at), updatedAt)),
    })
    .where('id', '=', thread.id)
    .execute();
}
