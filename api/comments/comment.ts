import { z } from 'zod';
import { user } from './shared-shapes.ts';

/** All users who reacted to a comment with one icon. */
export const reactionResponse = z
  .strictObject({
    annotationId: z.string().describe('`rea_…`, fixed by comment and icon.'),
    type: z.literal('reaction').describe('Always `reaction`.'),
    icon: z.string().describe('The icon, as sent.'),
    commentAnnotationId: z.string().describe('The annotation of the comment.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
    fromUsers: z
      .array(
        z.strictObject({
          from: user.describe('Who reacted.'),
          lastUpdated: z.int().describe('Milliseconds since the epoch.'),
        }),
      )
      .describe('Each user with the time of the reaction.'),
    count: z.int().describe('Number of users.'),
  })
  .meta({ id: 'Reaction' });

export const commentResponse = z
  .looseObject({
    commentId: z.int().describe('Unique within the annotation.'),
    type: z.literal('text').describe('Always `text`.'),
    status: z.enum(['added', 'updated']).describe('`updated` once text, tags or attachments were changed.'),
    from: user.describe('The author.'),
    isDraft: z.literal(false).describe('Always false.'),
    isEdited: z.boolean().describe('Whether text, tags or attachments were changed.'),
    editedAt: z.int().nullable().describe('Milliseconds since the epoch; null while not edited.'),
    to: z.array(user).readonly().describe('The contacts of the tagged users.'),
    attachments: z.array(z.looseObject({})).readonly().describe('References to files, as sent.'),
    isCommentTextAvailable: z.boolean().describe('As sent, else whether the text is not empty.'),
    isCommentResolverUsed: z.boolean().describe('As sent.'),
    reactionAnnotationIds: z.array(z.string()).describe('The ids of reactionAnnotations.'),
    reactionAnnotations: z.array(reactionResponse).describe('In the order of first use.'),
    sourceType: z.enum(['agent', 'rest-api']).optional().describe('`agent` for a comment with an agent.'),
    createdAt: z.int().describe('Milliseconds since the epoch.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
  })
  .meta({ id: 'Comment' });
