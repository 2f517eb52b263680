import { emissions } from '../../comments/emission/change.ts';

/** The name of a deleted assignee in a headline. */
const deletedName = 'deleted user';

/**
 * Returns a notification that Steward created from a comment, as stored or in an event, without the text that names
 * users. This is a cut comment with names in place of marks, and the assignee. Returns any other object as it is.
 * Notifications that the person only received lose the text in their events too, because an event does not show why it
 * names a user. `ofComment`: whether the row has a comment, where callers may have replaced the members that show it.
 */
export function withoutTexts<Body extends Readonly<Record<string, unknown>>>(
  body: Body,
  ofComment: boolean = isOfComment(body),
): Body {
  if (!ofComment) return body;
  const data = body['displayHeadlineMessageTemplateData'];
  return {
    ...body,
    ...('displayBodyMessage' in body && { displayBodyMessage: '' }),
    ...(typeof data === 'object' &&
      data !== null &&
      'assignee' in data && {
        displayHeadlineMessageTemplateData: { ...data, assignee: deletedName },
      }),
  };
}

function isOfComment(body: Readonly<Record<string, unknown>>): boolean {
  if (body['notificationSource'] !== 'comment') return false;
  const source = body['notificationSourceData'];
  if (typeof source !== 'object' || source === null) return false;
  const { annotationId, actionType } = source as { readonly annotationId?: unknown; actionType?: unknown };
  return (
    typeof annotationId === 'string' && typeof actionType === 'string' && Object.hasOwn(emissions, actionType)
  );
}
