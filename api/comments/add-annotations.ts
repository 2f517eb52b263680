import { z } from 'zod';
import {
  addAnnotations as add,
  prepareAnnotations,
  type AnnotationOutcome,
} from '../../domain/comments/add-annotations.ts';
import { required } from '../../platform/process/required.ts';
import type { AnnotationInput } from '../../domain/comments/prepare-annotation.ts';
import { aborted } from '../../domain/errors.ts';
import { verificationForAdd } from '../../domain/notifications/verify-by-provider.ts';
import { bothVersions } from '../http/endpoint.ts';
import { groupedEndpoint } from '../http/grouped-endpoint.ts';
import { batchResponse } from '../http/response/batch.ts';
import { verifyOutside, type PendingVerification } from '../notifications/verify.ts';
import { customerId, itemsById } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { orderOfWriting } from '../cross-resource/with-ids.ts';
import { annotationInput } from './annotation-input.ts';
import { laneOf } from './lane.ts';
import { maxNumberId } from './shared-shapes.ts';
import { toAnnotations } from './to-annotation.ts';

const data = z.strictObject({
  organizationId: customerId.describe('Id of the organization.'),
  documentId: customerId.describe('Id of the document.'),
  commentAnnotations: itemsById(annotationInput, ({ annotationId }) => annotationId).describe(
    'Annotations to add, 1 to 1,000, with at most 1,000 comments in total.',
  ),
  verifyUserPermissions: z
    .boolean()
    .default(false)
    .describe('True adds only annotations whose authors all have access to the document.'),
  createOrganization: z.boolean().default(false).describe('True creates a missing organization.'),
  createDocument: z.boolean().default(false).describe('True creates a missing document.'),
});

/** The authors of the comments, whose access the permission provider decides. */
const authorsOf = (annotations: readonly AnnotationInput[]) => {
  const comments = annotations.flatMap((annotation) => annotation.comments);
  return [...new Set(comments.flatMap(({ body }) => body.from?.userId ?? []))].map((userId) => ({ userId }));
};

export const addAnnotations = groupedEndpoint({
  paths: bothVersions('commentannotations/add'),
  maxBodyMebibytes: 10,
  summary: 'Adds comment annotations with their comments to a document.',
  description:
    'Each annotation succeeds or fails individually. Repeating the item that created an annotation ' +
    'succeeds and changes nothing; another item with an existing id fails with `already-exists`. A call ' +
    'contains at most 1,000 comments and names at most 1,000 users. An annotation without its comments, ' +
    `and each comment, has at most 256 KiB. ${orderOfWriting}`,
  data,
  response: batchResponse(
    {
      annotationId: z.string().describe('Same as `id`.'),
      commentIds: z.array(z.int().max(maxNumberId * 2)).describe('Ids of the comments, in request order.'),
      index: z.int().describe('Position of the item in the request, from 0.'),
      findingId: z
        .string()
        .optional()
        .describe('Value of `commentData[0].agent.reason.findingId`. Absent when none was sent.'),
    },
    ['jobId'],
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION'],
  example: {
    organizationId: 'acme',
    documentId: 'plan',
    commentAnnotations: [
      {
        location: { id: 'intro', locationName: 'Introduction' },
        commentData: [{ from: { userId: 'u1', name: 'Ada' }, commentText: 'Is this the latest figure?' }],
      },
    ],
  },
  outside: {
    ...verifyOutside,
    async prepare(
      { data: sent, tenant },
      { em, permissionProvider: provider },
    ): Promise<PendingVerification> {
      const annotations = toAnnotations(sent.commentAnnotations, sent.organizationId);
      await prepareAnnotations(em, tenant, annotations);
      const verification = await verificationForAdd(em, tenant, sent, authorsOf(annotations));
      return { provider, tenant, verification };
    },
  },
  laneOf({ data: { commentAnnotations, ...sent } }) {
    return laneOf(
      sent,
      commentAnnotations.flatMap(({ commentData, comments }) => commentData ?? comments ?? []),
    );
  },
  async handleTogether(calls, work) {
    const [{ data, tenant, outcome }] = calls;
    const each = calls.map(({ data: sent }) => toAnnotations(sent.commentAnnotations, sent.organizationId));
    const { commentAnnotations: _sent, ...request } = data;
    const annotations = each.flat();
    refuseSharedIds(annotations);
    const { outcomes, job, removal } = await add(work.em, tenant, {
      ...request,
      annotations,
      byProvider: outcome,
    });
    if (removal !== undefined) work.startJob(removal);
    const extras = startReportedJob(work, job);
    return each.map((own) => ({
      message: 'Comment Annotation(s) added successfully.',
      items: new Map(own.map(({ annotationId }) => [annotationId, outcomeOf(outcomes, annotationId)])),
      extras,
    }));
  },
});

/** Refuses calls that share an annotation: each must see the write of the other. */
function refuseSharedIds(annotations: readonly AnnotationInput[]): void {
  if (new Set(annotations.map(({ annotationId }) => annotationId)).size < annotations.length) throw aborted();
}

const outcomeOf = (
  outcomes: ReadonlyMap<string, AnnotationOutcome>,
  annotationId: string,
): AnnotationOutcome => required(outcomes.get(annotationId), 'outcome of an annotation');
