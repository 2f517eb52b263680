import type { CommentBody } from '../../../comments/comment.entity.ts';
import { replaceMarks } from '../../../comments/replace-users.ts';
import type { ThreadBody } from '../../../comments/thread.entity.ts';
import { deletedMark } from '../../../users/users-in-threads.ts';
import { containsPeople } from '../contains-people.ts';
import {
  identifiesPerson,
  withoutPeople,
  withoutPeopleInside,
  type PersonIdentifiers,
} from '../without-people.ts';

/** A thread without these people. Members of the schema are kept, even when one is named like a person. */
export function threadWithout(body: ThreadBody, identifiers: PersonIdentifiers): ThreadBody {
  const { status, priority, visibilityConfig, ...free } = body;
  const left = withoutPeopleInside(free, identifiers, 'schema');
  return {
    ...left,
    // An annotation keeps its location when the location itself names a person.
    ...(body.location && { location: left.location ?? { id: body.location.id } }),
    status,
    ...(priority && { priority }),
    ...(visibilityConfig && {
      visibilityConfig: {
        ...visibilityConfig,
        ...(visibilityConfig.userIds && { userIds: others(visibilityConfig.userIds, identifiers) }),
      },
    }),
  };
}

const others = (userIds: readonly string[], identifiers: PersonIdentifiers): string[] =>
  userIds.filter((userId) => !identifiesPerson(userId, identifiers));

/** Whether a thread names these people. */
export function threadNames(
  { status: _status, priority: _priority, visibilityConfig, ...free }: ThreadBody,
  identifiers: PersonIdentifiers,
): boolean {
  const users = visibilityConfig?.userIds ?? [];
  return (
    users.some((userId) => identifiesPerson(userId, identifiers)) ||
    containsPeople(free, identifiers, 'schema')
  );
}

interface Progress {
  readonly visibleToUserIds?: readonly string[];
}

/** A comment of another author without these people; marks of those tagged become `{{deleted}}`. */
export function commentWithout(body: CommentBody, identifiers: PersonIdentifiers): CommentBody {
  const { from, taggedUserContacts = [], progress, commentText, commentHtml, ...free } = body;
  const gone = taggedUserContacts.filter(({ userId }) => identifiesPerson(userId, identifiers));
  const tagged = taggedUserContacts.filter((contact) => !gone.includes(contact));
  const marked = markedWithout(new Set(gone.map(({ userId }) => userId)));
  return {
    ...withoutPeopleInside(free, identifiers, 'schema'),
    from: withoutPeopleInside(from, identifiers, 'free'),
    ...(commentText !== undefined && { commentText: marked(commentText) }),
    ...(commentHtml !== undefined && { commentHtml: marked(commentHtml) }),
    ...(tagged.length > 0 && { taggedUserContacts: withoutPeople(tagged, identifiers) }),
    ...(progress && { progress: progressWithout(progress, identifiers) }),
  } as CommentBody;
}

/** Replaces the marks of these users. Takes linear time, except for the number of ids with braces. */
function markedWithout(userIds: ReadonlySet<string>): (text: string) => string {
  // `replaceMarks` ends a mark at the first two braces, or at up to two braces after them.
  const hasBrace = (userId: string): boolean => userId.includes('{') || userId.includes('}');
  const braced = [...userIds].filter(hasBrace);
  const plain = [...userIds].filter((userId) => !hasBrace(userId));
  const deleted = new Map(plain.map((userId) => [userId, deletedMark.slice(2, -2)]));
  return (text) =>
    braced.reduce(
      (left, userId) => left.replaceAll(`{{${userId}}}`, deletedMark),
      replaceMarks(text, deleted),
    );
}

function progressWithout(progress: Progress, identifiers: PersonIdentifiers): object {
  const { visibleToUserIds, ...rest } = progress;
  const visible = others(visibleToUserIds ?? [], identifiers);
  return {
    ...withoutPeopleInside(rest, identifiers, 'schema'),
    ...(visible.length > 0 && { visibleToUserIds: visible }),
  };
}

/** Whether a comment names these people other than as its author. */
export function commentNames(body: CommentBody, identifiers: PersonIdentifiers): boolean {
  const { from, progress, ...free } = body;
  const { visibleToUserIds = [] } = (progress ?? {}) as Progress;
  return (
    containsPeople(free, identifiers, 'schema') ||
    containsPeople(progress, identifiers, 'schema') ||
    containsPeople(from, identifiers, 'free') ||
    visibleToUserIds.some((userId) => identifiesPerson(userId, identifiers))
  );
}
