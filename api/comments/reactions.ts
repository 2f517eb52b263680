import { z } from 'zod';
import { addReaction as add } from '../../domain/comments/add-reaction.ts';
import { deleteReaction as remove } from '../../domain/comments/delete-reaction.ts';
import type { Tenant } from '../../domain/tenancy/tenant.ts';
import type { Work } from '../http/endpoint.ts';
import { outsideEndpoint } from '../http/outside-endpoint.ts';
import { dataResponse, succeeded } from '../http/response/data.ts';
import { verifyOutside, type PendingVerification } from '../notifications/verify.ts';
import { idOf, text } from '../schemas.ts';
import { startReportedJob } from '../cross-resource/start-reported-job.ts';
import { triggers } from './comment-input.ts';
import { commentId, recordTime, user } from './shared-shapes.ts';

const icon = text(100)
  .min(1)
  .describe('Icon of the reaction, 1 to 100 characters, such as an emoji or its name.');

const count = z.int().describe('Number of users who reacted to the comment with this icon.');

const reaction = {
  organizationId: idOf('the organization of the document'),
  documentId: idOf('the document of the annotation'),
  annotationId: idOf('the annotation'),
  commentId: commentId.describe('Id of the comment within the annotation.'),
  icon,
  from: user.describe('User who reacts. Unknown fields are stored.'),
  verifyUserPermissions: z
    .boolean()
    .default(false)
    .describe('True rejects the call unless the user has access to the document.'),
  ...triggers,
};

const deletion = z.strictObject(reaction);

const outside = {
  ...verifyOutside,
  async prepare(
    { data, tenant }: { readonly data: z.output<typeof deletion>; readonly tenant: Tenant },
    { permissionProvider: provider }: Pick<Work, 'permissionProvider'>,
  ): Promise<PendingVerification> {
    const { organizationId, documentId, from } = data;
    const verification = { organizationId, documentIds: [documentId], userIds: [from.userId] };
    return Promise.resolve({ provider, tenant, verification });
  },
};

const example = {
  organizationId: 'acme',
  documentId: 'plan',
  annotationId: 'thread-1',
  commentId: 1,
  icon: '👍',
  from: { userId: 'u1', name: 'Ada' },
};

export const addReaction = outsideEndpoint({
  paths: ['/v2/commentannotations/comments/reactions/add'],
  credentials: 'apiKey',
  summary: "Adds a user's reaction to a comment.",
  description:
    'A user has at most one reaction to a comment with each icon; repeating the call succeeds and emits ' +
    'nothing. A comment has at most 100 different icons. An annotation holds at most 10,000 reactions and ' +
    '8 MiB of comments and reactions. With `triggerNotification` or `triggerActivities` the call emits ' +
    '`comment.reaction_add`, and `triggerNotification` notifies the author of the comment.',
  data: z.strictObject({
    ...reaction,
    createdAt: recordTime.optional().describe('Milliseconds since the epoch. Absent: now.'),
  }),
  response: dataResponse(
    z.strictObject({
      annotationId: z.string().describe('`rea_…`, the same for all reactions to the comment with this icon.'),
      count,
    }),
    ['jobId'],
  ),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'PERMISSION_DENIED'],
  example,
  outside,
  async handle({ data, tenant, outcome }, work) {
    const { job, ...added } = await add(work.em, tenant, { ...data, byProvider: outcome });
    return succeeded('Reaction added successfully.', added, startReportedJob(work, job));
  },
});

export const deleteReaction = outsideEndpoint({
  paths: ['/v2/commentannotations/comments/reactions/delete'],
  credentials: 'apiKey',
  summary: "Deletes a user's reaction to a comment.",
  description:
    'Fails with `NOT_FOUND` when the user has no reaction with this icon, so repeating the call changes ' +
    'nothing. With `triggerNotification` or `triggerActivities`, the call emits ' +
    '`comment.reaction_delete`; no notification is sent.',
  data: deletion,
  response: dataResponse(z.strictObject({ count })),
  errors: ['NOT_FOUND', 'FAILED_PRECONDITION', 'PERMISSION_DENIED'],
  example,
  outside,
  async handle({ data, tenant, outcome }, { em }) {
    const left = await remove(em, tenant, { ...data, byProvider: outcome });
    return succeeded('Reaction deleted successfully.', { count: left });
  },
});
