import { z } from 'zod';
import { threadKinds, visibilityTypes } from '../../domain/comments/thread.ts';
import { isLargerThan } from '../json-size.ts';
import { exclude } from '../rules.ts';
import { anything, customerId, ids, items, name, text } from '../schemas.ts';
import { commentInput, requiresComments } from './comment-input.ts';
import { action, atMostKibibytes, maxActions, recordTime, storedObject, user } from './shared-shapes.ts';

const color = text(100).optional();

const location = z
  .looseObject({
    id: z.union([customerId, z.number()]).describe('An id of yours, or a finite number, compared as text.'),
    locationName: name.optional().describe('Its name.'),
  })
  .superRefine(atMostKibibytes(16));

export const status = z.strictObject({
  id: customerId.describe('Your id of the status.'),
  name: name.describe('Its name.'),
  type: z.enum(['default', 'ongoing', 'terminal']).describe('A terminal status resolves the annotation.'),
  color: color.describe('A color of CSS.'),
  lightColor: color.describe('A color of CSS.'),
  svg: text(20_000).optional().describe('The icon, stored as sent.'),
  iconUrl: text(2_048).optional().describe('The URL of the icon.'),
});

export const priority = z.strictObject({
  id: customerId.describe('Your id of the priority.'),
  name: name.describe('Its name.'),
  color: color.describe('A color of CSS.'),
  lightColor: color.describe('A color of CSS.'),
});

export const suggestion = z
  .looseObject({
    targetId: customerId.optional(),
    targetType: text(1_000).optional().describe('Your kind of the target.'),
    oldValue: anything.optional().describe('The value before, any JSON.'),
    newValue: anything.optional().describe('The proposed value, any JSON.'),
    summary: text(10_000).optional().describe('The proposal in words.'),
  })
  .superRefine(atMostKibibytes(64));

export const visibility = z
  .strictObject({
    type: z.enum(visibilityTypes).describe('Who sees the annotation, of those with access to its document.'),
    organizationId: customerId.optional().describe('Short for one organizationIds.'),
    organizationIds: ids(30).optional().describe('Whose members see it. Defaults to that of the call.'),
    userIds: ids().optional().describe('The users who see it. Required for restricted.'),
  })
  .check(exclude('organizationId', 'organizationIds'))
  .superRefine((sent, context) => {
    if (sent.type === 'restricted' && sent.userIds === undefined)
      context.addIssue({ code: 'custom', path: ['userIds'], message: '<m> is required.' });
  });

/** Members of an annotation that an update may replace too. */
export const annotationContents = {
  location: location.optional().describe('Where in the document, up to 16 KiB.'),
  targetElement: storedObject(64).optional().describe('The element it is about, up to 64 KiB.'),
  context: storedObject(16).optional().describe('Any members of yours, up to 16 KiB.'),
  pageInfo: storedObject(16).optional().describe('The page it is about, up to 16 KiB.'),
  visibility: visibility.optional().describe('Defaults to public.'),
  actions: items(action, maxActions).optional().describe('Buttons that you show with the annotation.'),
  createdAt: recordTime.optional().describe('Milliseconds since the epoch. Defaults to now.'),
  lastUpdated: recordTime.optional().describe('Milliseconds since the epoch. Defaults to now.'),
};

const comments = items(commentInput).describe('The comments of the new thread, in order.');

/** Max bytes of an annotation without its comments. */
const maxBytes = 262_144;

/** An annotation to add. */
export const annotationInput = z
  .strictObject({
    annotationId: customerId.optional().describe('Unique within the document. Generated when absent.'),
    commentData: comments.optional(),
    comments: comments.optional().describe('The older name of commentData.'),
    ...annotationContents,
    status: status.optional().describe('Defaults to Open.'),
    priority: priority.optional().describe('How urgent it is. None when absent.'),
    assignedTo: user.optional().describe('The assignee; none when absent.'),
    type: z.enum(threadKinds).default('comment').describe('A suggestion proposes a change of the document.'),
    commentType: z
      .enum(['manual', 'chart', 'suggestion'])
      .default('manual')
      .describe('Stored for your client.'),
    suggestion: suggestion
      .optional()
      .describe('The proposal, up to 64 KiB; dropped unless type is suggestion.'),
    isPageAnnotation: z
      .boolean()
      .optional()
      .describe('Whether it is about the whole page. Stored for your client.'),
    positionX: z.number().optional().describe('Stored for your client.'),
    positionY: z.number().optional().describe('Stored for your client.'),
    screenWidth: z.number().optional().describe('Stored for your client.'),
    screenHeight: z.number().optional().describe('Stored for your client.'),
    screenScrollHeight: z.number().optional().describe('Stored for your client.'),
    screenScrollTop: z.number().optional().describe('Stored for your client.'),
  })
  .check(exclude('commentData', 'comments'), requiresComments)
  .superRefine((sent, context) => {
    const { commentData, comments: alias } = sent;
    // Without its comments, which are copied out of few annotations only.
    if (isLargerThan(maxBytes, sent)) {
      const { commentData: _data, comments: _alias, ...rest } = sent;
      atMostKibibytes(256)(rest, context);
    }
    refuseRepeatedIds(commentData ?? alias ?? [], context);
  });

/** Adds an issue when two comments of a call have one id. */
export function refuseRepeatedIds(
  sent: readonly { readonly commentId?: number | undefined }[],
  context: z.core.$RefinementCtx,
): void {
  if (sent.length < 2) return;
  const given = sent.flatMap(({ commentId }) => (commentId === undefined ? [] : [commentId]));
  if (new Set(given).size < given.length)
    context.addIssue({
      code: 'custom',
      path: ['commentData'],
      message: '<m> must hold each commentId once.',
    });
}
