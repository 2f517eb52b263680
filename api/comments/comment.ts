import { z } from 'zod';
import { user } from './shared-shapes.ts';

/** All users who reacted to a comment with one icon. */
const reactionResponse = z
  .strictObject({
    annotationId: z.string().describe('Id of the reaction, `rea_…`, the same for all users with this icon.'),
    type: z.literal('reaction').describe('Always `reaction`.'),
    icon: z.string().describe('Icon, as sent.'),
    commentAnnotationId: z.string().describe('Id of the annotation of the comment.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
    fromUsers: z
      .array(
        z.strictObject({
          from: user.describe('User who reacted.'),
          lastUpdated: z.int().describe('Milliseconds since the epoch.'),
        }),
      )
      .describe('Users who reacted, each with the time of the reaction.'),
    count: z.int().describe('Number of users.'),
  })
  .meta({ id: 'Reaction' });

export const commentResponse = z
  .looseObject({
    commentId: z.int().describe('Id of the comment, unique within the annotation.'),
    type: z.literal('text').describe('Always `text`.'),
    status: z.enum(['added', 'updated']).describe('`updated` after a change of text, tags or attachments.'),
    from: user.describe('Author of the comment.'),
    isDraft: z.literal(false).describe('Always false.'),
    isEdited: z.boolean().describe('Whether text, tags or attachments were changed.'),
    editedAt: z.int().nullable().describe('Milliseconds since the epoch. Null when never edited.'),
    to: z.array(user).readonly().describe('Profiles of the tagged users.'),
    attachments: z.array(z.looseObject({})).readonly().describe('References to files, as sent.'),
    isCommentTextAvailable: z.boolean().describe('As sent, otherwise true when the text is not empty.'),
    isCommentResolverUsed: z.boolean().describe('Stored for your client, as sent.'),
    reactionAnnotationIds: z.array(z.string()).describe('Ids of the reactions in `reactionAnnotations`.'),
    reactionAnnotations: z.array(reactionResponse).describe('Reactions in the order of first use.'),
    sourceType: z.enum(['agent', 'rest-api']).optional().describe('`agent` when an agent wrote the comment.'),
    createdAt: z.int().describe('Milliseconds since the epoch.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
  })
  .meta({ id: 'Comment' });
