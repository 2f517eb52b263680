import { z } from 'zod';
import { commentTexts } from '../../domain/comments/comment-texts.ts';
import { deleteAnnotations as remove } from '../../domain/comments/delete-annotations.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { batchResponse } from '../http/response/batch.ts';
import { anyOf, not, on, sends, rule } from '../rules.ts';
import { customerId, idOf, ids, text } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { triggers } from './comment-input.ts';
import { actingUser } from './shared-shapes.ts';

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document'),
    locationIds: ids(30).optional().describe('Only annotations at these locations.'),
    annotationIds: ids().optional().describe('Only these annotations, 1 to 1,000.'),
    userIds: ids(30).optional().describe('Only annotations that these users created.'),
    agentId: customerId.optional().describe('Only annotations of this agent.'),
    agentSuggestions: z.literal(true).optional().describe('True deletes only pending suggestions of agents.'),
    agentUrls: ids(30, text(2_048).min(1))
      .optional()
      .describe('Only annotations of agents that worked on these pages. Fragments are ignored.'),
    actionUser: actingUser.optional().describe('User who deletes the annotations. Required with a trigger.'),
    ...triggers,
  })
  .check(
    rule(
      'actionUser is required with triggerNotification or triggerActivities.',
      anyOf(not(anyOf(on('triggerNotification'), on('triggerActivities'))), sends('actionUser')),
      ['triggerNotification', 'triggerActivities'],
      (sent, context) => {
        if (sent.actionUser !== undefined || !(sent.triggerNotification || sent.triggerActivities)) return;
        context.addIssue({ code: 'custom', path: ['actionUser'], message: commentTexts.actorRequired });
      },
    ),
  );

export const deleteAnnotations = endpoint({
  paths: bothVersions('commentannotations/delete'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Deletes the annotations of a document that match every given condition, with their comments and reactions.',
  description:
    'Without conditions it deletes all annotations of the document. A call deletes up to 1,000 ' +
    'annotations and returns an outcome for each. A job deletes the others that existed at the call, ' +
    'comments and reactions beyond 10,000, and notifications about them beyond 1,000. Without ' +
    '`annotationIds` a call examines up to 20,000 annotations, so it may delete none and leave all to the ' +
    'job. Annotations and comments that the call deletes are invisible when it returns. Annotations left ' +
    'to the job are listed and counted until it reaches them. The ids of both can be used again at once. ' +
    'With a trigger, each annotation that the call itself deletes emits `comment_annotation.delete`; no ' +
    'notification is sent.',
  data,
  response: batchResponse({}, ['deletedCount', 'jobId']),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: { organizationId: 'acme', documentId: 'plan', annotationIds: ['ann-1'] },
  async handle({ data, tenant }, work) {
    const { outcomes, deletedCount, job } = await remove(work.em, tenant, data);
    return {
      message: 'Annotations deleted successfully.',
      items: outcomes,
      extras: { deletedCount, ...startReportedJob(work, job) },
    };
  },
});
