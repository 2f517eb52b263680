import { taggedUsers } from './comment.ts';
import type { CommentRow, ReactionRow } from './read-contents.ts';
import { reactionId } from './reaction.ts';

/** Renders a comment of an annotation with its reactions. */
export function commentView(annotationId: string, row: CommentRow, reactions: readonly ReactionRow[]) {
  const { editedAt, isCommentTextAvailable, taggedUserContacts, attachments, ...body } = row.body;
  const rendered = reactionViews(annotationId, row.id, reactions);
  return {
    ...body,
    ...(taggedUserContacts !== undefined && { taggedUserContacts }),
    commentId: Number(row.ext_id),
    type: 'text' as const,
    status: editedAt === undefined ? ('added' as const) : ('updated' as const),
    isDraft: false as const,
    isEdited: editedAt !== undefined,
    editedAt: editedAt ?? null,
    to: taggedUsers(row.body),
    attachments: attachments ?? [],
    isCommentTextAvailable: isCommentTextAvailable ?? (body.commentText ?? '') !== '',
    isCommentResolverUsed: body.isCommentResolverUsed ?? false,
    reactionAnnotationIds: rendered.map((reaction) => reaction.annotationId),
    reactionAnnotations: rendered,
    sourceType: body.agent === undefined ? ('rest-api' as const) : ('agent' as const),
    createdAt: Number(row.created_at),
    lastUpdated: Number(row.updated_at),
  };
}

/** Renders one reaction for each icon, in the order of first use. */
function reactionViews(commentAnnotationId: string, comment: string, reactions: readonly ReactionRow[]) {
  return [...Map.groupBy(reactions, ({ icon }) => icon)].map(([icon, rows]) => ({
    annotationId: reactionId(comment, icon),
    type: 'reaction' as const,
    icon,
    commentAnnotationId,
    lastUpdated: Math.max(...rows.map(({ at }) => Number(at))),
    fromUsers: rows.map(({ at, body }) => ({ from: body.from, lastUpdated: Number(at) })),
    count: rows.length,
  }));
}
