import { z } from 'zod';
import { addComments as add } from '../../domain/comments/add-comments.ts';
import { refuseManyUsers } from '../../domain/users/refuse-many-users.ts';
import { bothVersions } from '../http/endpoint.ts';
import { groupedEndpoint } from '../http/grouped-endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { verifyOutside, type PendingVerification } from '../notifications/verify.ts';
import { exclude } from '../rules.ts';
import { customerId, items } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { refuseRepeatedIds } from './annotation-input.ts';
import { laneOf } from './lane.ts';
import { commentInput, requiresComments, toCommentInput } from './comment-input.ts';

const comments = items(commentInput).describe('Comments to add, 1 to 1,000, in order.');

const data = z
  .strictObject({
    organizationId: customerId.describe('Id of the organization.'),
    documentId: customerId.describe('Id of the document.'),
    annotationId: customerId.describe('Id of an existing annotation.'),
    commentData: comments.optional(),
    comments: comments.optional().describe('Older name of `commentData`.'),
    verifyUserPermissions: z
      .boolean()
      .default(false)
      .describe('True rejects the call unless all authors have access to the document.'),
    createOrganization: z
      .boolean()
      .default(false)
      .describe('Accepted for compatibility; the annotation must exist.'),
    createDocument: z
      .boolean()
      .default(false)
      .describe('Accepted for compatibility; the annotation must exist.'),
  })
  .check(exclude('commentData', 'comments'), requiresComments)
  .superRefine(refuseRepeatedIds);

type SentComments = readonly z.output<typeof commentInput>[];

const commentsOf = (sent: {
  readonly commentData?: SentComments | undefined;
  readonly comments?: SentComments | undefined;
}): SentComments => sent.commentData ?? sent.comments ?? [];

export const addComments = groupedEndpoint({
  paths: bothVersions('commentannotations/comments/add'),
  maxBodyMebibytes: 10,
  summary: 'Adds comments to an annotation, all or none.',
  description:
    'A comment without `commentId` gets the largest id that the annotation ever used, plus one. Repeating ' +
    'a call with ids of your own succeeds and changes nothing; a different comment with an existing id ' +
    'fails with `ALREADY_EXISTS`. An annotation holds at most 1,000 comments, 10,000 reactions and 8 MiB ' +
    'of both. It involves at most 1,000 users. Each comment with `triggerNotification` or ' +
    '`triggerActivities` emits `comment.add`.',
  data,
  response: dataResponse(z.array(z.int()).describe('Ids of the comments, in request order.'), ['jobId']),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'ALREADY_EXISTS', 'PERMISSION_DENIED'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    annotationId: 'thread-1',
    commentData: [{ from: { userId: 'u1', name: 'Ada' }, commentText: 'I have updated it.' }],
  },
  outside: {
    ...verifyOutside,
    async prepare({ data: sent, tenant }, { permissionProvider: provider }): Promise<PendingVerification> {
      const userIds = [...new Set(commentsOf(sent).map(({ from }) => from.userId))];
      refuseManyUsers(userIds.length);
      const { organizationId, documentId } = sent;
      return Promise.resolve({
        provider,
        tenant,
        verification: { organizationId, documentIds: [documentId], userIds },
      });
    },
  },
  laneOf: ({ data: sent }) => laneOf(sent, commentsOf(sent)),
  async handleTogether(calls, work) {
    const [{ data, tenant, outcome }] = calls;
    const additions = calls.map(({ data: sent }) => ({
      annotationId: sent.annotationId,
      comments: commentsOf(sent).map(toCommentInput),
    }));
    const { commentIds, job } = await add(work.em, tenant, { ...data, additions, byProvider: outcome });
    const extras = startReportedJob(work, job);
    return commentIds.map((ids) => succeeded('Comment(s) added successfully.', [...ids], extras));
  },
});
