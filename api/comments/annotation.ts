import { z } from 'zod';
import { visibilityTypes } from '../../domain/comments/thread.ts';
import { priority, status } from './annotation-input.ts';
import { commentResponse } from './comment.ts';
import { user } from './shared-shapes.ts';

const time = z.int().describe('Milliseconds since the epoch.');

export const annotationResponse = z
  .looseObject({
    annotationId: z.string().describe('Unique within the document.'),
    from: user.nullable().describe('Who created it; null once that user was deleted.'),
    status: status.describe('The status, as sent.'),
    priority: priority.nullable().describe('The priority; null for none.'),
    assignedTo: user.nullable().describe('The assignee; null for none.'),
    resolvedByUserId: z.string().nullable().describe('Null unless the status is terminal.'),
    resolvedByUser: user.nullable().describe('The profile of that user; null for none.'),
    statusUpdatedByUserId: z.string().nullable().describe('Who set the status; null when unknown.'),
    locationId: z.string().nullable().describe('`location.id` as text.'),
    visibilityConfig: z
      .strictObject({
        type: z.enum(visibilityTypes).describe('Who sees it, of those with access to the document.'),
        organizationIds: z
          .array(z.string())
          .readonly()
          .optional()
          .describe('Organizations whose members see it.'),
        userIds: z.array(z.string()).readonly().optional().describe('Users who see it.'),
      })
      .describe('Who may see it.'),
    sourceType: z.enum(['agent', 'rest-api']).describe('`agent` when the first comment sent has an agent.'),
    involvedUserIds: z.array(z.string()).readonly().describe('Authors, tagged users and the assignee.'),
    mentionedUserIds: z.array(z.string()).readonly().describe('Users tagged in any comment.'),
    commentsCount: z.int().describe('Number of comments.'),
    comments: z.array(commentResponse).describe('By createdAt, then in the order of writing.'),
    createdAt: time,
    lastUpdated: time,
    metadata: z
      .strictObject({
        apiKey: z.string().describe('The API key.'),
        organizationId: z.string().describe('The organization.'),
        documentId: z.string().describe('The present id of the document.'),
        folderId: z.string().optional().describe('The folder of the document. Absent at the top level.'),
      })
      .describe('Where the annotation is; rendered on each read.'),
  })
  .meta({ id: 'CommentAnnotation' });
