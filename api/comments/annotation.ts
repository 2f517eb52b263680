import { z } from 'zod';
import { visibilityTypes } from '../../domain/comments/thread.ts';
import { priority, status } from './annotation-input.ts';
import { commentResponse } from './comment.ts';
import { user } from './shared-shapes.ts';

const time = z.int().describe('Milliseconds since the epoch.');

export const annotationResponse = z
  .looseObject({
    annotationId: z.string(),
    from: user.nullable().describe('Who created it; null once that user was deleted.'),
    status,
    priority: priority.nullable(),
    assignedTo: user.nullable(),
    resolvedByUserId: z.string().nullable().describe('Null unless the status is terminal.'),
    resolvedByUser: user.nullable(),
    statusUpdatedByUserId: z.string().nullable(),
    locationId: z.string().nullable().describe('`location.id` as text.'),
    visibilityConfig: z.strictObject({
      type: z.enum(visibilityTypes),
      organizationIds: z.array(z.string()).readonly().optional(),
      userIds: z.array(z.string()).readonly().optional(),
    }),
    sourceType: z.enum(['agent', 'rest-api']),
    involvedUserIds: z.array(z.string()).readonly().describe('Authors, tagged users and the assignee.'),
    mentionedUserIds: z.array(z.string()).readonly().describe('Users tagged in any comment.'),
    commentsCount: z.int(),
    comments: z.array(commentResponse).describe('By createdAt, then in the order of writing.'),
    createdAt: time,
    lastUpdated: time,
    metadata: z.strictObject({
      apiKey: z.string(),
      organizationId: z.string(),
      documentId: z.string(),
      folderId: z.string().optional(),
    }),
  })
  .meta({ id: 'CommentAnnotation' });
