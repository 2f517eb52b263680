import { required } from '../../../platform/process/required.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { CreatedJob } from '../../jobs/create-job.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { taggedUsers } from '../comment.ts';
import type { NamedUser } from '../comment.entity.ts';
import { commentView } from '../comment-view.ts';
import type { LockedThread } from '../lock-threads.ts';
import { readReactions, type CommentRow } from '../read-contents.ts';
import type { EmittedComment, ThreadChange } from './change.ts';
import { emitChanges } from './emit-changes.ts';
import { readEmitted } from './read-emitted.ts';

/** A change of a comment. */
export interface CommentChange {
  /** The comment after the change, or before its deletion. */
  readonly comment: EmittedComment;
  readonly actor: NamedUser;
  /** The customer's ids of users that the change names. */
  readonly named: readonly string[];
}

/** Changes of comments of one locked thread. */
export interface CommentChanges {
  readonly type: 'comment.update' | 'comment.delete';
  readonly changes: readonly CommentChange[];
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** A stored comment that a call changes. */
export interface ChangedComment extends Omit<CommentChange, 'comment'> {
  readonly comment: CommentRow;
}

/** Renders comments of a locked thread with their reactions. Call it before they are deleted. */
export async function renderComments(
  em: EntityManager,
  { ext_id }: LockedThread,
  changes: readonly ChangedComment[],
): Promise<CommentChange[]> {
  const keys = changes.map(({ comment }) => comment.id);
  const reactions = Map.groupBy(await readReactions(em, keys), ({ comment_id }) => comment_id);
  return changes.map(({ comment, ...change }) => ({
    ...change,
    comment: {
      key: comment.id,
      commentId: Number(comment.ext_id),
      view: commentView(ext_id, comment, reactions.get(comment.id) ?? []),
      text: comment.body.commentText ?? '',
      tagged: taggedUsers(comment.body),
    },
  }));
}

/** Emits changes of comments. Call it after they are written, but before the thread itself is deleted. */
export async function emitComments(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  { id }: LockedThread,
  { type, changes, triggerNotification, triggerActivities }: CommentChanges,
): Promise<CreatedJob | undefined> {
  if (changes.length === 0) return undefined;
  const emitted = required((await readEmitted(em, [id])).get(id), 'row of a locked thread');
  const rendered = changes.map((change): ThreadChange => ({
    ...emitted,
    ...change,
    type,
    triggerNotification,
    triggerActivities,
  }));
  return emitChanges(em, tenant, location, rendered);
}
