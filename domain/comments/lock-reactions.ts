import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { lockLocation, type LockedLocation } from '../documents/lock-location.ts';
import { notFound } from '../errors.ts';
import type { NotificationLocation } from '../notifications/decide-recipients.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { admitPeople } from '../users/lock-named.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import type { CommentBody, NamedUser } from './comment.entity.ts';
import { commentTexts } from './comment-texts.ts';
import { lockThread, type LockedThread } from './lock-threads.ts';
import { writeReaction, type WrittenReaction } from './reaction.ts';
import { verifyAuthors, type VerifiedRequest } from './verify-authors.ts';
import { userKeyOf } from './write-comments.ts';

/** A reaction of one user to a comment. */
export interface ReactionRequest extends VerifiedRequest {
  readonly annotationId: string;
  readonly commentId: number;
  readonly icon: string;
  readonly from: NamedUser;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

const CommentRow = z.strictObject({
  id: z.string(),
  thread_id: z.string(),
  ext_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  body: z.custom<CommentBody>(),
  count: z.number(),
  bytes: z.number().nullable(),
});

/** The comment of a reaction, under the lock of its thread. */
export interface LockedReactions {
  readonly location: NotificationLocation & LockedLocation;
  readonly thread: LockedThread;
  /** `count`: users who reacted with the icon. `bytes`: JSON bytes of the caller's reaction; null without one. */
  readonly comment: z.infer<typeof CommentRow>;
  /** Surrogate key of the user who reacts. */
  readonly user: string;
  readonly written: WrittenReaction;
}

/** Locks the thread of a comment for a change of its reactions. Throws NOT_FOUND and PERMISSION_DENIED. */
export async function lockReactions(
  em: EntityManager,
  tenant: Tenant,
  request: ReactionRequest,
): Promise<LockedReactions> {
  const { organizationId, documentId, annotationId, from, icon } = request;
  const written = writeReaction(from);
  refuseManyUsers(written.people.userIds.size);
  const location = await lockLocation(em, tenant, {
    organizationId,
    documentId,
    userIds: [...written.people.userIds],
  });
  await admitPeople(em, tenant, location.users, written.people, [location.organization]);
  const thread = await lockThread(em, tenant, location, annotationId);
  const user = userKeyOf(location.users, from.userId);
  const comment = await rowOf(
    em,
    CommentRow,
    sql`select c.id, c.thread_id, c.ext_id, c.created_at, c.updated_at, c.body,
        (select count(*) from reaction r where r.comment_id = c.id and r.icon = ${icon})::int as count,
        (select octet_length(r.body::text) from reaction r
          where r.comment_id = c.id and r.icon = ${icon} and r.user_id = ${user}) as bytes
      from comment c where c.thread_id = ${thread.id} and c.ext_id = ${request.commentId}`,
  );
  if (comment === undefined) throw notFound(commentTexts.commentMissing);
  await verifyAuthors(em, tenant, request, location.document, [from.userId]);
  return { location: { ...location, organizationId, documentId }, thread, comment, user, written };
}

/** Adds to the counters of the locked thread; `updated_at` never decreases. */
export async function countReactions(
  em: EntityManager,
  { thread, user }: Pick<LockedReactions, 'thread' | 'user'>,
  { reactions, bytes }: { readonly reactions: number; readonly bytes: number },
): Promise<void> {
  await tablesOf(em)
    .updateTable('thread')
    .set({
      reaction_count: thread.reaction_count + reactions,
      content_bytes: thread.content_bytes + bytes,
      last_actor_id: user,
      updated_at: String(Math.max(Number(thread.updated_at), Date.now())),
    })
    .where('id', '=', thread.id)
    .execute();
}
