import { z } from 'zod';
import { commentTexts } from '../../domain/comments/comment-texts.ts';
import type { NamedUser } from '../../domain/comments/comment.entity.ts';
import { suggestionStatuses } from '../../domain/comments/thread.ts';
import { updateAnnotations as update } from '../../domain/comments/update-annotations.ts';
import type { AnnotationUpdate } from '../../domain/comments/updated-thread.ts';
import { bothVersions, endpoint } from '../http/endpoint.ts';
import { batchResponse } from '../http/response/batch.ts';
import { atLeastOne, anyOf, has, not, on, sends, rule } from '../rules.ts';
import { customerId, idOf, ids, itemsById } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { annotationContents, priority, status, suggestion } from './annotation-input.ts';
import { triggers } from './comment-input.ts';
import { actingUser, user } from './shared-shapes.ts';
import { toVisibility } from './to-annotation.ts';

const members = {
  ...annotationContents,
  from: user.optional().describe('User shown as the creator.'),
  status: status.optional().describe('New status.'),
  statusUpdatedByUserId: customerId
    .nullable()
    .optional()
    .describe('Id of the user who set the status; null for none.'),
  resolvedByUserId: customerId
    .nullable()
    .optional()
    .describe(
      'Id of the user who resolved the annotation; null for none. Null unless the resulting status is terminal.',
    ),
  assignedTo: user.nullable().optional().describe('New assignee; null for none.'),
  priority: priority.nullable().optional().describe('New priority; null for none.'),
  suggestion: suggestion
    .safeExtend({
      status: z
        .enum(suggestionStatuses)
        .optional()
        .describe('New status of the suggestion. Absent: unchanged.'),
    })
    .optional()
    .describe('Proposed change, max 64 KiB. Ignored unless the type of the annotation is `suggestion`.'),
  visibility: annotationContents.visibility.describe('Users who may see the annotation.'),
  createdAt: annotationContents.createdAt.describe('Milliseconds since the epoch.'),
  lastUpdated: annotationContents.lastUpdated.describe(
    'Milliseconds since the epoch. Ignored unless later than the stored time; a past time counts as now.',
  ),
};

const names = Object.keys(members);

const updatedData = z.preprocess(
  (sent) => (Array.isArray(sent) && sent.length === 1 ? (sent[0] as unknown) : sent),
  z.strictObject(members).check(atLeastOne(names, `<m> must hold at least one of ${names.join(', ')}.`)),
);

const replacement = z.strictObject({
  oldUser: user.describe('User to replace; only `userId` is compared.'),
  newUser: user.describe('Replacement, stored as sent.'),
});

const isText = { type: 'string' } as const;

const data = z
  .strictObject({
    organizationId: idOf('the organization'),
    documentId: idOf('the document'),
    locationIds: ids(30).optional().describe('Only annotations at these locations.'),
    userIds: ids(30).optional().describe('Only annotations that these users created.'),
    annotationIds: ids().optional().describe('Only these annotations, 1 to 1,000.'),
    updatedData: updatedData
      .optional()
      .describe('Members to replace, each as a whole. A list of one such object is accepted.'),
    updateUsers: itemsById(replacement, ({ oldUser }) => oldUser.userId, 100)
      .optional()
      .describe(
        'Users to replace, 1 to 100, in one step. If an `oldUser` occurs twice, the last entry counts.',
      ),
    actionUser: actingUser
      .optional()
      .describe(
        'User who updates the annotations. Absent: `statusUpdatedByUserId`, then `resolvedByUserId`.',
      ),
    ...triggers,
  })
  .check(
    atLeastOne(['updatedData', 'updateUsers'], 'updatedData or updateUsers is required.'),
    rule(
      'triggerNotification and triggerActivities require actionUser, statusUpdatedByUserId or resolvedByUserId.',
      anyOf(
        not(anyOf(on('triggerNotification'), on('triggerActivities'))),
        sends('actionUser'),
        ...['statusUpdatedByUserId', 'resolvedByUserId'].map((name) => has('updatedData', has(name, isText))),
      ),
      ['updatedData', 'triggerNotification', 'triggerActivities'],
      ({ actionUser, updatedData: sent, triggerNotification, triggerActivities }, context) => {
        if (!(triggerNotification || triggerActivities)) return;
        if (actionUser ?? sent?.statusUpdatedByUserId ?? sent?.resolvedByUserId) return;
        context.addIssue({ code: 'custom', path: ['actionUser'], message: commentTexts.actorRequired });
      },
    ),
  );

export const updateAnnotations = endpoint({
  paths: bothVersions('commentannotations/update'),
  credentials: 'apiKey',
  mutates: true,
  summary:
    'Updates the annotations of a document that match every given condition, and replaces users in them.',
  description:
    'Without conditions it updates all annotations of the document; with more than 1,000 matching ones it ' +
    'fails and writes nothing. It also fails when it would examine more than 100,000 annotations; ' +
    '`annotationIds` finds them in larger documents, and `userIds` those of a user with fewer. First, ' +
    '`updateUsers` replaces users in the annotations and in up to 10,000 comments and reactions, and ' +
    'emits nothing. Then `updatedData` replaces fields. An unchanged annotation keeps its `lastUpdated` ' +
    'and emits nothing, so the call can be repeated. With `triggerNotification` or `triggerActivities`, ' +
    'each change of an annotation emits one of `comment_annotation.status_change`, ' +
    '`comment_annotation.priority_change`, `comment_annotation.assign`, ' +
    '`comment_annotation.suggestion_accept`, `comment_annotation.suggestion_reject` and ' +
    '`comment_annotation.access_mode_change`.',
  data,
  response: batchResponse({}, ['jobId']),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    annotationIds: ['ann-1'],
    updatedData: { status: { id: 'DONE', name: 'Done', type: 'terminal' }, resolvedByUserId: 'u1' },
  },
  async handle({ data: sent, tenant }, work) {
    const { updatedData: replaced = {}, updateUsers = [], ...request } = sent;
    const visibility = replaced.visibility && {
      visibility: toVisibility(replaced.visibility, sent.organizationId) ?? { type: 'public' as const },
    };
    const users = new Map(updateUsers.map(({ oldUser, newUser }) => [oldUser.userId, newUser as NamedUser]));
    const { outcomes, job } = await update(work.em, tenant, {
      ...request,
      annotationIds: sent.annotationIds,
      locationIds: sent.locationIds,
      userIds: sent.userIds,
      actionUser: sent.actionUser,
      update: { ...replaced, ...visibility } as AnnotationUpdate,
      users,
    });
    return {
      message: 'Annotations updated successfully.',
      items: outcomes,
      extras: startReportedJob(work, job),
    };
  },
});
