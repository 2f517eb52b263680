import { taggedUsers } from '../comment.ts';
import { commentView } from '../comment-view.ts';
import type { NewComment } from '../write-comments.ts';
import type { ThreadChange } from './change.ts';

/** The change that adds a comment. `key`: its surrogate key. */
export function addedComment(
  type: 'comment.add' | 'comment_annotation.add',
  annotationId: string,
  { thread, comment, createdAt, updatedAt }: NewComment,
  key: string,
): Omit<ThreadChange, 'thread' | 'people'> {
  const { body, commentId, tagged, triggerNotification, triggerActivities } = comment;
  const row = {
    id: key,
    thread_id: thread,
    ext_id: String(commentId),
    created_at: String(createdAt),
    updated_at: String(updatedAt),
    body,
  };
  return {
    type,
    actor: body.from,
    comment: {
      key,
      commentId,
      view: commentView(annotationId, row, []),
      text: body.commentText ?? '',
      tagged: taggedUsers(body),
    },
    named: [...tagged],
    triggerNotification,
    triggerActivities,
  };
}
