import { z } from 'zod';
import { reactionId } from '../../domain/comments/reaction.ts';
import type { ExportedComment, ExportedReaction } from '../../domain/deletion/export/comments.ts';
import { commentView } from '../../domain/comments/comment-view.ts';
import { annotationResponse } from '../comments/annotation.ts';
import { commentResponse } from '../comments/comment.ts';
import { user } from '../comments/shared-shapes.ts';

/** An annotation without the content of other users. */
export const exportedAnnotation = annotationResponse.omit({
  resolvedByUserId: true,
  resolvedByUser: true,
  statusUpdatedByUserId: true,
  involvedUserIds: true,
  mentionedUserIds: true,
  commentsCount: true,
  comments: true,
});

const location = {
  annotationId: z.string().describe('Id of the annotation.'),
  documentId: z.string().describe('Id of the document of the annotation.'),
};

export const exportedComment = commentResponse.extend(location);

export const exportedReaction = z.strictObject({
  ...location,
  reactionId: z.string().describe('Id of the reaction, `rea_…`, the same for all users with this icon.'),
  type: z.literal('reaction').describe('Always `reaction`.'),
  icon: z.string().describe('Icon, as sent.'),
  commentId: z.int().describe('Id of the comment within the annotation.'),
  from: user.describe('User, as sent.'),
  lastUpdated: z.int().describe('Milliseconds since the epoch.'),
});

export const exportedReadMark = z.strictObject({
  documentId: z.string().describe('Id of the document.'),
  annotationId: z.string().nullable().describe('Id of the annotation. Null for the whole document.'),
  viewedAt: z.int().describe('Time up to which the user has read it, in milliseconds since the epoch.'),
});

/** Omits reactions, which are other users' data. */
export const exportedCommentView = (row: ExportedComment) => ({
  ...commentView(row.annotation_ext_id, row, []),
  annotationId: row.annotation_ext_id,
  documentId: row.document_ext_id,
});

export const exportedReactionView = (row: ExportedReaction) => ({
  annotationId: row.annotation_ext_id,
  documentId: row.document_ext_id,
  reactionId: reactionId(row.comment_id, row.icon),
  type: 'reaction' as const,
  icon: row.icon,
  commentId: Number(row.comment_ext_id),
  from: row.body.from,
  lastUpdated: Number(row.at),
});
