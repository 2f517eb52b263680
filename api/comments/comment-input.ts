import { z } from 'zod';
import type { CommentInput } from '../../domain/comments/comment.ts';
import type { CommentBody } from '../../domain/comments/comment.entity.ts';
import { agentTypes } from '../../domain/comments/thread.ts';
import {
  atMostKibibytes,
  integer,
  customerId,
  items,
  itemsOrNone,
  milliseconds,
  name,
  openObject,
  storedObject,
  text,
} from '../schemas.ts';
import { anyOf, sends, requiredFor, rule } from '../rules.ts';
import { action, maxActions, maxNumberId, recordTime, user } from './shared-shapes.ts';

const tagged = z
  .strictObject({
    userId: customerId.describe('Id of the tagged user.'),
    text: text(1_000).optional().describe('Text shown for the mention.'),
    contact: user
      .optional()
      .describe('Profile of the tagged user; its `userId` must equal the one beside `contact`.'),
  })
  .check(
    rule(
      'The userId of contact must equal the userId beside it.',
      {},
      ['userId', 'contact'],
      ({ userId, contact }, context) => {
        if (contact === undefined || contact.userId === userId) return;
        const message = '<m> must equal the userId beside contact.';
        context.addIssue({ code: 'custom', path: ['contact', 'userId'], message });
      },
    ),
  );

const attachment = z.strictObject({
  attachmentId: z.int().describe('Your id for the file.'),
  name: name.optional().describe('Name of the file.'),
  bucketPath: text(2_048).optional().describe('Path of the file in your storage.'),
  size: integer(0, Number.MAX_SAFE_INTEGER).optional().describe('Size of the file in bytes.'),
  type: text(100).optional().describe('Kind of the file in your system.'),
  url: text(2_048).optional().describe('URL of the file.'),
  thumbnail: text(100_000).optional().describe('Thumbnail of the file, as a URL or a data URL.'),
  mimeType: text(255).optional().describe('Media type of the file.'),
  metadata: openObject.optional().describe('Free metadata.'),
});

const reason = z.looseObject({
  title: text(1_000).optional().describe('Finding of the agent, in one line.'),
  description: text(10_000).optional().describe('Explanation of the finding.'),
  severity: z
    .enum(['critical', 'high', 'medium', 'low', 'info'])
    .optional()
    .describe('Severity of the finding.'),
  findingId: customerId.optional().describe('Id of the finding in your system.'),
});

const agentSource = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, {
  error: '<m> must be 1 to 64 of the characters A-Z a-z 0-9 _ -.',
});

const agent = z
  .looseObject({
    agentSource: agentSource.describe('System that runs the agent, such as `external`.'),
    agentId: customerId.describe('Your id for the agent.'),
    executionId: customerId.optional().describe('Id of the execution that wrote the comment.'),
    agentName: name.optional().describe('Name of the agent. Required when `agentSource` is `external`.'),
    agentType: z
      .enum(agentTypes)
      .optional()
      .describe('Absent: `external` when `agentSource` is `external`, else `built-in`.'),
    url: text(2_048).optional().describe('URL of the page that the agent worked on.'),
    reason: reason.optional().describe('Why the agent wrote the comment.'),
  })
  .check(requiredFor('agentName', 'agentSource', 'external'))
  .superRefine(atMostKibibytes(64));

const step = z.strictObject({
  label: name.describe('Description of the step.'),
  id: customerId.optional().describe('Your id for the step.'),
  state: z.enum(['pending', 'active', 'completed', 'failed']).optional().describe('State of the step.'),
  startedAt: milliseconds.optional().describe('Milliseconds since the epoch.'),
  completedAt: milliseconds.optional().describe('Milliseconds since the epoch.'),
  metadata: openObject.optional().describe('Free metadata.'),
});

const progress = z.strictObject({
  state: z.enum(['active', 'completed', 'failed', 'cancelled']).describe('State of the agent.'),
  steps: items(step, 100).optional().describe('Steps in order, 1 to 100.'),
  visibleToUserIds: items(customerId).optional().describe('For display; never an access rule.'),
  startedAt: milliseconds.optional().describe('Milliseconds since the epoch.'),
});

/** Members of a comment that an update may also replace. */
const commentContents = {
  commentText: text(50_000)
    .optional()
    .describe('Plain text. `{{userId}}` of a tagged user marks a mention; other braces are text.'),
  commentHtml: text(200_000).optional().describe('HTML, stored as sent: neither sanitized nor rendered.'),
  taggedUserContacts: items(tagged, 100).optional().describe('Users that the comment tags.'),
  attachments: items(attachment, 50).optional().describe('References to your files.'),
  context: storedObject(16).optional().describe('Free metadata, max 16 KiB.'),
  isCommentTextAvailable: z.boolean().optional().describe('Absent: true when `commentText` is not empty.'),
  progress: progress.optional().describe('Progress of a running agent.'),
  actions: items(action, maxActions).optional().describe('Buttons that you show with the comment.'),
  createdAt: recordTime.optional().describe('Milliseconds since the epoch. Absent: now.'),
  lastUpdated: recordTime.optional().describe('Milliseconds since the epoch. Absent: now.'),
};

/** Members of a comment that an update may replace as a whole. An empty list removes the stored one. */
export const updatedComment = z
  .strictObject({
    ...commentContents,
    from: user.optional().describe('Author of the comment.'),
    taggedUserContacts: itemsOrNone(tagged, 100).optional().describe('Users that the comment tags.'),
    attachments: itemsOrNone(attachment, 50).optional().describe('References to your files.'),
    actions: itemsOrNone(action, maxActions).optional().describe('Buttons that you show with the comment.'),
    isCommentResolverUsed: z.boolean().optional().describe('Stored for your client.'),
    createdAt: recordTime.optional().describe('Milliseconds since the epoch.'),
    lastUpdated: recordTime.optional().describe('Milliseconds since the epoch. A past time counts as now.'),
  })
  .superRefine(atMostKibibytes(256))
  .refine((sent) => Object.values(sent).some((member) => member !== undefined), {
    error: '<m> must contain at least one member to update.',
  });

/** Flags that request events, activity logs and notifications of a change. */
export const triggers = {
  triggerNotification: z
    .boolean()
    .default(false)
    .describe('True emits the event of the change and notifies the users that the thread involves.'),
  triggerActivities: z
    .boolean()
    .default(false)
    .describe('True emits the event of the change and adds its activity log.'),
};

/** A comment to add. */
export const commentInput = z
  .strictObject({
    from: user.describe('Author of the comment.'),
    commentId: integer(1, maxNumberId)
      .optional()
      .describe(
        'Id of the comment, unique within the annotation. Absent: the largest id that the annotation ever ' +
          'used, plus one.',
      ),
    ...commentContents,
    isCommentResolverUsed: z.boolean().default(false).describe('Stored for your client.'),
    agent: agent.optional().describe('Agent that wrote the comment, max 64 KiB.'),
    ...triggers,
  })
  .superRefine(atMostKibibytes(256));

/** Comments may be in the member `comments`, its older name. */
export const requiresComments = rule<{ readonly commentData?: unknown; readonly comments?: unknown }>(
  'commentData or comments is required.',
  anyOf(sends('commentData'), sends('comments')),
  [],
  (sent, context) => {
    if (sent.commentData === undefined && sent.comments === undefined)
      context.addIssue({ code: 'custom', path: ['commentData'], message: '<m> is required.' });
  },
);

type SentComment = z.output<typeof commentInput>;

export function toCommentInput(sent: SentComment): CommentInput {
  const { commentId, createdAt, lastUpdated, triggerNotification, triggerActivities, ...body } = sent;
  return {
    commentId,
    createdAt,
    lastUpdated,
    triggerNotification,
    triggerActivities,
    body: { ...body, ...(body.agent && { agent: withAgentType(body.agent) }) } as CommentBody,
  };
}

const withAgentType = (sent: z.output<typeof agent>) => ({
  ...sent,
  agentType: sent.agentType ?? (sent.agentSource === 'external' ? 'external' : 'built-in'),
});
