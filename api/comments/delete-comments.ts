import { z } from 'zod';
import { deleteComments as remove } from '../../domain/comments/delete-comments.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { batchResponse, numberId } from '../http/response/batch.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { triggers } from './comment-input.ts';
import { selectedComments } from './selected-comments.ts';
import { actingUser } from './shared-shapes.ts';

export const deleteComments = endpoint({
  paths: bothVersions('commentannotations/comments/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary: 'Deletes the comments of an annotation that match every given condition, with their reactions.',
  description:
    'Without conditions it deletes all comments of the annotation. Deleting the last comment deletes the ' +
    'annotation; the response then contains `annotationDeleted`. The call deletes up to 1,000 ' +
    'notifications about deleted comments, and a job deletes the others. With a trigger, each comment ' +
    'emits `comment.delete`, and a deleted annotation `comment_annotation.delete`; no notification is ' +
    'sent. Repeating the call returns `not-found` for deleted comments, or fails with `NOT_FOUND` when ' +
    'the annotation is deleted.',
  data: z.strictObject({
    ...selectedComments,
    actionUser: actingUser
      .optional()
      .describe('User who deletes the comments. Absent: the author of each comment.'),
    ...triggers,
  }),
  response: batchResponse({}, ['annotationDeleted', 'jobId'], numberId),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documentId: 'plan', annotationId: 'thread-1', commentIds: [2] },
  async handle({ data, tenant }, work) {
    const { outcomes, annotationDeleted, job } = await remove(work.em, tenant, data);
    return {
      message: 'Comments(s) deleted successfully.',
      items: outcomes,
      extras: { ...(annotationDeleted && { annotationDeleted }), ...startReportedJob(work, job) },
    };
  },
});
