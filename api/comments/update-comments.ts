import { z } from 'zod';
import {
  updateComments as update,
  type CommentUpdateRequest,
} from '../../domain/comments/update-comments.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { batchResponse, numberId } from '../http/response/batch.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { triggers, updatedComment } from './comment-input.ts';
import { selectedComments } from './selected-comments.ts';

export const updateComments = endpoint({
  paths: bothVersions('commentannotations/comments/update'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Replaces fields of the matching comments of an annotation.',
  description:
    'Without conditions it updates all comments of the annotation, up to 1,000. Each field of ' +
    '`updatedData` replaces the stored one as a whole; an empty list removes it. A comment whose text, ' +
    'HTML, tags or attachments change becomes `updated`, with `isEdited` and `editedAt`. Each changed ' +
    'comment gets a new `lastUpdated`, which never decreases. An unchanged comment keeps its times and ' +
    'emits nothing, so the call can be repeated. With a trigger, each changed comment emits ' +
    '`comment.update`; the notification treats newly tagged users as mentioned.',
  data: z.strictObject({
    ...selectedComments,
    updatedData: updatedComment.describe('Members to replace, at least one, max 256 KiB.'),
    ...triggers,
  }),
  response: batchResponse({}, ['jobId'], numberId),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    annotationId: 'thread-1',
    commentIds: [1],
    updatedData: { commentText: 'Is this the latest figure? It is 42.' },
  },
  async handle({ data, tenant }, work) {
    const { outcomes, job } = await update(work.em, tenant, data as CommentUpdateRequest);
    return {
      message: 'Comment updated successfully.',
      items: outcomes,
      extras: startReportedJob(work, job),
    };
  },
});
