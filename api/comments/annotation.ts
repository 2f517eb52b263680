import { z } from 'zod';
import { visibilityTypes } from '../../domain/comments/thread.ts';
import { priority, status } from './annotation-input.ts';
import { commentResponse } from './comment.ts';
import { user } from './shared-shapes.ts';

const time = z.int().describe('Milliseconds since the epoch.');

export const annotationResponse = z
  .looseObject({
    annotationId: z.string().describe('Id of the annotation, unique within the document.'),
    from: user
      .nullable()
      .describe('User who created the annotation. Null when the data of that user was deleted.'),
    status: status.describe('Status, as sent.'),
    priority: priority.nullable().describe('Priority. Null when there is none.'),
    assignedTo: user.nullable().describe('Assigned user. Null when there is none.'),
    resolvedByUserId: z
      .string()
      .nullable()
      .describe('Id of the user who resolved the annotation. Null unless the status is terminal.'),
    resolvedByUser: user
      .nullable()
      .describe('Profile of the user in `resolvedByUserId`. Null when there is none.'),
    statusUpdatedByUserId: z
      .string()
      .nullable()
      .describe('Id of the user who set the status. Null when unknown.'),
    locationId: z.string().nullable().describe('`location.id` as text. Null when there is none.'),
    visibilityConfig: z
      .strictObject({
        type: z.enum(visibilityTypes).describe('Which users with access to the document see the annotation.'),
        organizationIds: z
          .array(z.string())
          .readonly()
          .optional()
          .describe('Ids of organizations whose members see the annotation.'),
        userIds: z
          .array(z.string())
          .readonly()
          .optional()
          .describe('Ids of the users who see the annotation.'),
      })
      .describe('Users who may see the annotation.'),
    sourceType: z.enum(['agent', 'rest-api']).describe('`agent` when an agent wrote the first comment.'),
    involvedUserIds: z
      .array(z.string())
      .readonly()
      .describe('Ids of authors, tagged users and the assignee.'),
    mentionedUserIds: z.array(z.string()).readonly().describe('Ids of the users tagged in any comment.'),
    commentsCount: z.int().describe('Number of comments.'),
    comments: z.array(commentResponse).describe('Comments by `createdAt`, then in insertion order.'),
    createdAt: time,
    lastUpdated: time,
    metadata: z
      .strictObject({
        apiKey: z.string().describe('API key of the annotation.'),
        organizationId: z.string().describe('Id of the organization.'),
        documentId: z.string().describe('Current id of the document.'),
        folderId: z
          .string()
          .optional()
          .describe('Id of the folder of the document. Absent at the top level.'),
      })
      .describe('Location of the annotation at the time of the read.'),
  })
  .meta({ id: 'CommentAnnotation' });

/** An annotation as a handler returns it. */
export type AnnotationView = z.input<typeof annotationResponse>;
