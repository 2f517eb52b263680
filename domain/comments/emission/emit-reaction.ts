import { required } from '../../../platform/process/required.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { CreatedJob } from '../../jobs/create-job.ts';
import type { Tenant } from '../../tenancy/tenant.ts';
import { commentView } from '../comment-view.ts';
import type { LockedReactions, ReactionRequest } from '../lock-reactions.ts';
import { emitChanges } from './emit-changes.ts';
import { readEmitted } from './read-emitted.ts';

/** Emits a reaction that was added or deleted, if the call requests it. Notifies the author of the comment. */
export async function emitReaction(
  em: EntityManager,
  tenant: Tenant,
  type: 'comment.reaction_add' | 'comment.reaction_delete',
  { annotationId, icon, from, triggerNotification, triggerActivities }: ReactionRequest,
  { location, thread, comment }: Pick<LockedReactions, 'location' | 'thread' | 'comment'>,
): Promise<CreatedJob | undefined> {
  if (!triggerNotification && !triggerActivities) return undefined;
  const emitted = required((await readEmitted(em, [thread.id])).get(thread.id), 'row of a locked thread');
  // Omits the reactions of the comment: a thread may have 10,000, and each of them emits an event.
  const {
    reactionAnnotationIds: _ids,
    reactionAnnotations: _all,
    ...view
  } = commentView(annotationId, comment, []);
  const { body } = comment;
  const change = {
    ...emitted,
    type,
    actor: from,
    comment: {
      key: comment.id,
      commentId: Number(comment.ext_id),
      view,
      text: body.commentText ?? '',
      tagged: view.to,
    },
    data: { reaction: { icon } },
    named: [body.from.userId],
    triggerNotification,
    triggerActivities,
  };
  return emitChanges(em, tenant, location, [change]);
}
