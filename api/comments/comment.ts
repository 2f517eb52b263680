import { z } from 'zod';
import { user } from './shared-shapes.ts';

/** All users who reacted to a comment with one icon. */
export const reactionResponse = z
  .strictObject({
    annotationId: z.string().describe('`rea_…`, fixed by comment and icon.'),
    type: z.literal('reaction'),
    icon: z.string(),
    commentAnnotationId: z.string(),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
    fromUsers: z.array(
      z.strictObject({ from: user, lastUpdated: z.int().describe('Milliseconds since the epoch.') }),
    ),
    count: z.int().describe('Number of users.'),
  })
  .meta({ id: 'Reaction' });

export const commentResponse = z
  .looseObject({
    commentId: z.int().describe('Unique within the annotation.'),
    type: z.literal('text'),
    status: z.enum(['added', 'updated']).describe('`updated` once text, tags or attachments were changed.'),
    from: user.describe('The author.'),
    isDraft: z.literal(false),
    isEdited: z.boolean(),
    editedAt: z.int().nullable().describe('Milliseconds since the epoch; null while not edited.'),
    to: z.array(user).readonly().describe('The contacts of the tagged users.'),
    attachments: z.array(z.looseObject({})).readonly(),
    isCommentTextAvailable: z.boolean(),
    isCommentResolverUsed: z.boolean(),
    reactionAnnotationIds: z.array(z.string()),
    reactionAnnotations: z.array(reactionResponse).describe('In the order of first use.'),
    sourceType: z.enum(['agent', 'rest-api']).optional(),
    createdAt: z.int().describe('Milliseconds since the epoch.'),
    lastUpdated: z.int().describe('Milliseconds since the epoch.'),
  })
  .meta({ id: 'Comment' });
