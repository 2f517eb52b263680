import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { done, type Outcomes } from '../batch.ts';
import { lockLocation, type LockedLocation } from '../documents/lock-location.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { namedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import type { NamedUser } from './comment.entity.ts';
import { removeThreads } from './delete-annotations.ts';
import { emitDeletedThreads } from './emission/emit-deleted-threads.ts';
import { emitComments, renderComments, type CommentChanges } from './emission/emit-comments.ts';
import { lockThread, type LockedThread } from './lock-threads.ts';
import { createThreadRemovalJob, type RemainingThreads } from './removal-job.ts';
import { recomputeRoles } from './recompute-roles.ts';
import { removeThreadNotifications } from './remove-thread-notifications.ts';
import {
  commentOutcomes,
  selectComments,
  type CommentSelection,
  type SelectedComment,
} from './select-comments.ts';
import { actorRole, addRoles, userKeyOf } from './write-comments.ts';

/** Comments of one annotation to delete. */
export interface CommentDeletionRequest extends CommentSelection {
  readonly organizationId: string;
  readonly documentId: string;
  readonly annotationId: string;
  /** The actor; when undefined, the author of each comment. */
  readonly actionUser?: NamedUser | undefined;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** The result of a call. */
export interface CommentDeletion {
  readonly outcomes: Outcomes<{ readonly id: number }>;
  /** Whether the last comment was deleted, and the annotation with it. */
  readonly annotationDeleted: boolean;
  /** Deletes the notifications beyond the limit of the call. */
  readonly job: CreatedJob | undefined;
}

/** Deletes comments of an annotation with their reactions and notifications; with the last one, the annotation. */
export async function deleteComments(
  em: EntityManager,
  tenant: Tenant,
  request: CommentDeletionRequest,
): Promise<CommentDeletion> {
  const people = namedPeople(request.actionUser);
  refuseManyUsers(people.userIds.size);
  const location = await lockLocation(em, tenant, { ...request, userIds: [...people.userIds] });
  await admitPeople(em, tenant, location.users, people, [location.organization]);
  const thread = await lockThread(em, tenant, location, request.annotationId);
  const comments = await selectComments(em, tenant, thread, request);
  const annotationDeleted = comments.length > 0 && comments.length === thread.comment_count;
  const namedLocation = {
    ...location,
    organizationId: request.organizationId,
    documentId: request.documentId,
  };
  const deletion = await renderDeletion(em, thread, request, comments);
  const emit = async () => emitComments(em, tenant, namedLocation, thread, deletion);
  let left: Omit<RemainingThreads, 'rest'>;
  if (annotationDeleted) {
    await emit();
    await emitDeletedThreads(em, tenant, namedLocation, [thread.id], {
      ...deletion,
      actor: lastActor(request, comments),
    });
    left = { ...(await removeThreads(em, tenant, [thread.id])), notifications: null };
  } else {
    const actor = lastActorKey(request, location, comments);
    left = await removeComments(em, tenant, location, { thread, comments, actor });
    await emit();
  }
  const organization = { id: location.organization, organizationId: request.organizationId };
  return {
    outcomes: commentOutcomes(request, comments, done('Deleted successfully')),
    annotationDeleted,
    job: await createThreadRemovalJob(em, tenant, organization, { ...left, rest: null }),
  };
}

/** The actor of the last deletion. */
const lastActor = (
  { actionUser }: CommentDeletionRequest,
  comments: readonly SelectedComment[],
): NamedUser | null => actionUser ?? comments.at(-1)?.body.from ?? null;

/** Surrogate key of the actor of the last deletion. */
const lastActorKey = (
  { actionUser }: CommentDeletionRequest,
  { users }: LockedLocation,
  comments: readonly SelectedComment[],
): string | null =>
  actionUser === undefined ? (comments.at(-1)?.author_id ?? null) : userKeyOf(users, actionUser.userId);

const RemovedRow = z.strictObject({ reactions: z.number(), bytes: z.number() });

/** Deletes comments of a locked thread that keeps others. Returns what is left to a job. */
async function removeComments(
  em: EntityManager,
  tenant: Tenant,
  { organization }: LockedLocation,
  {
    thread,
    comments,
    actor,
  }: {
    readonly thread: LockedThread;
    readonly comments: readonly SelectedComment[];
    readonly actor: string | null;
  },
): Promise<Omit<RemainingThreads, 'rest'>> {
  if (comments.length === 0) return { orphaned: [], audiences: [], notifications: null };
  const ids = comments.map(({ id }) => id);
  const removed = await onlyRowOf(
    em,
    RemovedRow,
    sql`with removed as (delete from reaction where comment_id = any(${ids}::bigint[]) returning octet_length(body::text) as bytes)
      select count(*)::int as reactions, coalesce(sum(bytes), 0)::int as bytes from removed`,
  );
  await sql`delete from comment where id = any(${ids}::bigint[])`.execute(tablesOf(em));
  await recomputeRoles(em, [thread.id]);
  await addRoles(em, tenant, organization, actorRole(thread.id, actor));
  const bytes = comments.reduce((sum, comment) => sum + comment.bytes, removed.bytes);
  await tablesOf(em)
    .updateTable('thread')
    .set({
      comment_count: thread.comment_count - comments.length,
      reaction_count: thread.reaction_count - removed.reactions,
      content_bytes: thread.content_bytes - bytes,
      last_actor_id: actor,
      updated_at: String(Math.max(Number(thread.updated_at), Date.now())),
    })
    .where('id', '=', thread.id)
    .execute();
  const subjects = { threads: ids.map(() => thread.id), comments: ids };
  const { audiences, more } = await removeThreadNotifications(em, tenant.id, subjects);
  return { orphaned: [], audiences, notifications: more ? subjects : null };
}

/** Renders what the deletion of each comment emits, if the call requests it. Call it before they are deleted. */
async function renderDeletion(
  em: EntityManager,
  thread: LockedThread,
  { actionUser, triggerNotification, triggerActivities }: CommentDeletionRequest,
  comments: readonly SelectedComment[],
): Promise<CommentChanges> {
  const changes = comments.map((comment) => ({ comment, actor: actionUser ?? comment.body.from, named: [] }));
  return {
    type: 'comment.delete',
    changes: triggerNotification || triggerActivities ? await renderComments(em, thread, changes) : [],
    triggerNotification,
    triggerActivities,
  };
}
