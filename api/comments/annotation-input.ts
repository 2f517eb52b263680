import { z } from 'zod';
import { maxBodyBytes } from '../../domain/comments/thread-limits.ts';
import { threadKinds, visibilityTypes } from '../../domain/comments/thread.ts';
import { isLargerThan } from '../../platform/json/json-size.ts';
import { exclude, requiredFor } from '../rules.ts';
import { anything, atMostKibibytes, customerId, ids, items, name, storedObject, text } from '../schemas.ts';
import { commentInput, requiresComments } from './comment-input.ts';
import { action, maxActions, recordTime, user } from './shared-shapes.ts';

const color = text(100).optional();

const location = z
  .looseObject({
    id: z
      .union([customerId, z.number()])
      .describe('Your id for the location: a text, or a finite number, compared as text.'),
    locationName: name.optional().describe('Name of the location.'),
  })
  .superRefine(atMostKibibytes(16));

export const status = z.strictObject({
  id: customerId.describe('Your id for the status.'),
  name: name.describe('Name of the status.'),
  type: z.enum(['default', 'ongoing', 'terminal']).describe('A terminal status resolves the annotation.'),
  color: color.describe('CSS color.'),
  lightColor: color.describe('CSS color.'),
  svg: text(20_000).optional().describe('Icon as SVG, stored as sent.'),
  iconUrl: text(2_048).optional().describe('URL of the icon.'),
});

export const priority = z.strictObject({
  id: customerId.describe('Your id for the priority.'),
  name: name.describe('Name of the priority.'),
  color: color.describe('CSS color.'),
  lightColor: color.describe('CSS color.'),
});

export const suggestion = z
  .looseObject({
    targetId: customerId.optional().describe('Id of the target in your system.'),
    targetType: text(1_000).optional().describe('Kind of the target in your system.'),
    oldValue: anything.optional().describe('Current value, any JSON.'),
    newValue: anything.optional().describe('Proposed value, any JSON.'),
    summary: text(10_000).optional().describe('Summary of the proposal.'),
  })
  .superRefine(atMostKibibytes(64));

export const visibility = z
  .strictObject({
    type: z.enum(visibilityTypes).describe('Which users with access to the document see the annotation.'),
    organizationId: customerId.optional().describe('Short form of `organizationIds` with one id.'),
    organizationIds: ids(30)
      .optional()
      .describe(
        'Ids of organizations whose members see the annotation. Absent: the organization of the call.',
      ),
    userIds: ids().optional().describe('Ids of the users who see the annotation. Required for `restricted`.'),
  })
  .check(exclude('organizationId', 'organizationIds'))
  .check(requiredFor('userIds', 'type', 'restricted'));

/** Members of an annotation that an update may also replace. */
export const annotationContents = {
  location: location.optional().describe('Location in the document, max 16 KiB.'),
  targetElement: storedObject(64)
    .optional()
    .describe('Element of the page that the annotation is about, max 64 KiB.'),
  context: storedObject(16).optional().describe('Free metadata, max 16 KiB.'),
  pageInfo: storedObject(16).optional().describe('Page that the annotation is about, max 16 KiB.'),
  visibility: visibility.optional().describe('Users who see the annotation. Absent: `public`.'),
  actions: items(action, maxActions).optional().describe('Buttons that you show with the annotation.'),
  createdAt: recordTime.optional().describe('Milliseconds since the epoch. Absent: now.'),
  lastUpdated: recordTime.optional().describe('Milliseconds since the epoch. Absent: now.'),
};

const comments = items(commentInput).describe('Comments of the annotation, in order.');

/** An annotation to add. */
export const annotationInput = z
  .strictObject({
    annotationId: customerId
      .optional()
      .describe('Id of the annotation, unique within the document. Absent: generated.'),
    commentData: comments.optional(),
    comments: comments.optional().describe('Older name of `commentData`.'),
    ...annotationContents,
    status: status.optional().describe('Status of the annotation. Absent: Open.'),
    priority: priority.optional().describe('Priority of the annotation. Absent: none.'),
    assignedTo: user.optional().describe('Assigned user. Absent: none.'),
    type: z.enum(threadKinds).default('comment').describe('`suggestion` proposes a change of the document.'),
    commentType: z
      .enum(['manual', 'chart', 'suggestion'])
      .default('manual')
      .describe('Stored for your client.'),
    suggestion: suggestion
      .optional()
      .describe('Proposed change, max 64 KiB. Ignored unless `type` is `suggestion`.'),
    isPageAnnotation: z
      .boolean()
      .optional()
      .describe('Whether the annotation is about the whole page. Stored for your client.'),
    positionX: z.number().optional().describe('Stored for your client.'),
    positionY: z.number().optional().describe('Stored for your client.'),
    screenWidth: z.number().optional().describe('Stored for your client.'),
    screenHeight: z.number().optional().describe('Stored for your client.'),
    screenScrollHeight: z.number().optional().describe('Stored for your client.'),
    screenScrollTop: z.number().optional().describe('Stored for your client.'),
  })
  .check(exclude('commentData', 'comments'), requiresComments)
  .superRefine((sent, context) => {
    // Comments have their own limit. Copying the annotation without them is rarely needed.
    if (isLargerThan(maxBodyBytes, sent)) {
      const { commentData: _data, comments: _alias, ...rest } = sent;
      atMostKibibytes(maxBodyBytes / 1_024)(rest, context);
    }
    refuseRepeatedIds(sent, context);
  });

type Numbered = readonly { readonly commentId?: number | undefined }[] | undefined;

/** Adds an issue when two comments of a call have the same id. */
export function refuseRepeatedIds(
  { commentData, comments: alias = [] }: { readonly [Member in 'commentData' | 'comments']?: Numbered },
  context: z.core.$RefinementCtx,
): void {
  const sent = commentData ?? alias;
  if (sent.length < 2) return;
  const given = sent.flatMap(({ commentId }) => (commentId === undefined ? [] : [commentId]));
  if (new Set(given).size < given.length)
    context.addIssue({
      code: 'custom',
      path: [commentData === undefined ? 'comments' : 'commentData'],
      message: '<m> must hold each commentId once.',
    });
}
