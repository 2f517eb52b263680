import type { EntityManager } from '../../../platform/database/orm.ts';
import type { CreatedJob } from '../../jobs/create-job.ts';
import type { NotificationLocation } from '../../notifications/decide-recipients.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { taggedUsers } from '../comment.ts';
import type { NamedUser } from '../comment.entity.ts';
import { commentView } from '../comment-view.ts';
import type { LockedThread } from '../lock-threads.ts';
import { readReactions, type CommentRow } from '../read-contents.ts';
import type { ThreadChange } from './change.ts';
import { emitChanges } from './emit-changes.ts';
import { readEmitted } from './read-emitted.ts';

/** Changes of stored comments of one locked thread. */
export interface CommentChanges {
  readonly type: 'comment.update' | 'comment.delete';
  readonly changes: readonly {
    /** The comment after the change, or before a deletion. */
    readonly comment: CommentRow;
    readonly actor: NamedUser;
    /** The customer's ids of users that the change names. */
    readonly named: readonly string[];
  }[];
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** Emits changes of comments with their reactions. Call it after an update is written, or before a deletion. */
export async function emitComments(
  em: EntityManager,
  tenant: Tenant,
  location: NotificationLocation,
  { id, ext_id }: LockedThread,
  { type, changes, triggerNotification, triggerActivities }: CommentChanges,
): Promise<CreatedJob | undefined> {
  if (changes.length === 0 || !(triggerNotification || triggerActivities)) return undefined;
  const emitted = (await readEmitted(em, [id])).get(id);
  if (emitted === undefined) throw new Error('missing row of a locked thread');
  const keys = changes.map(({ comment }) => comment.id);
  const reactions = Map.groupBy(await readReactions(em, keys), ({ comment_id }) => comment_id);
  const rendered = changes.map(({ comment, actor, named }): ThreadChange => ({
    ...emitted,
    type,
    actor,
    comment: {
      key: comment.id,
      commentId: Number(comment.ext_id),
      view: commentView(ext_id, comment, reactions.get(comment.id) ?? []),
      text: comment.body.commentText ?? '',
      tagged: taggedUsers(comment.body),
    },
    named,
    triggerNotification,
    triggerActivities,
  }));
  return emitChanges(em, tenant, location, rendered);
}
