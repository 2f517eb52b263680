import { membersOf, type JsonMembers } from '../platform/json/json-members.ts';
import { filledHeadline, shownName } from './headline.ts';

/** The headlines of changes of comment threads, by type of event. Those of some types are not notified. */
export const threadHeadlines = {
  'comment_annotation.add': '{actionUser} commented',
  'comment.add': '{actionUser} commented',
  'comment.update': '{actionUser} edited a comment',
  'comment.delete': '{actionUser} deleted a comment',
  'comment.reaction_add': '{actionUser} reacted with {icon}',
  'comment.reaction_delete': '{actionUser} removed the reaction {icon}',
  'comment_annotation.status_change': '{actionUser} changed the status to {status}',
  'comment_annotation.priority_change': '{actionUser} changed the priority to {priority}',
  'comment_annotation.assign': '{actionUser} assigned {assignee}',
  'comment_annotation.suggestion_accept': '{actionUser} accepted a suggestion',
  'comment_annotation.suggestion_reject': '{actionUser} rejected a suggestion',
  'comment_annotation.access_mode_change': '{actionUser} changed the visibility of a comment thread',
  'comment_annotation.delete': '{actionUser} deleted a comment thread',
} as const;

/** The variables of a headline other than `actionUser`, from the data of its event. */
export function headlineValues({ newStatus, newPriority, assignedTo, reaction }: JsonMembers): JsonMembers {
  const values: [name: string, value: unknown][] = [
    ['status', membersOf(newStatus)['name']],
    ['priority', newPriority === null ? 'none' : membersOf(newPriority)['name']],
    ['assignee', assignedTo === null ? 'nobody' : assigneeName(membersOf(assignedTo))],
    ['icon', membersOf(reaction)['icon']],
  ];
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

const assigneeName = ({ userId, name }: JsonMembers): string | undefined =>
  typeof userId === 'string' ? shownName({ userId, name }) : undefined;

/**
 * Returns the filled headline of a change of a comment thread. Undefined for other types, and for an event from which a
 * deletion of user data removed the actor or the assignee.
 */
export function threadHeadline(type: string, data: JsonMembers): string | undefined {
  if (!Object.hasOwn(threadHeadlines, type)) return undefined;
  const { actionUser, assignedTo } = data;
  const isIncomplete =
    actionUser === undefined || (type === 'comment_annotation.assign' && assignedTo === undefined);
  if (isIncomplete) return undefined;
  return filledHeadline({
    actionUser,
    displayHeadlineMessageTemplate: threadHeadlines[type as keyof typeof threadHeadlines],
    displayHeadlineMessageTemplateData: headlineValues(data),
  });
}
