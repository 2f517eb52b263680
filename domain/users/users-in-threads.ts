import { isJsonObject } from '../../platform/json/json-members.ts';
import { maxIdBytes } from '../id-size.ts';
import { isUserId, maxSearchDepth } from './named-users.ts';

/*
 * The people in annotations and comments as Steward renders them in events, activity logs and notifications. Omits the
 * objects with a `userId`, which every search for people finds.
 */

/** Members that list user ids. */
const lists: ReadonlySet<string> = new Set([
  'involvedUserIds',
  'mentionedUserIds',
  'userIds',
  'visibleToUserIds',
]);

/** Members that hold a user id. */
const singles: ReadonlySet<string> = new Set(['resolvedByUserId', 'statusUpdatedByUserId']);

/** Members of annotations and comments with free JSON of callers. Lists of ids in them are not treated as user ids. */
const free: ReadonlySet<string> = new Set([
  'actions',
  'agent',
  'attachments',
  'context',
  'display',
  'location',
  'newValue',
  'oldValue',
  'pageInfo',
  'targetElement',
]);

/** Members whose text names users as `{{userId}}`. */
const texts: ReadonlySet<string> = new Set(['commentText', 'commentHtml']);

/** The text that replaces a mark of a deleted person. */
export const deletedMark = '{{deleted}}';

/** The members that a comment or an annotation of a deleted author keeps: callers write the others. */
const ofAuthor: ReadonlySet<string> = new Set([
  'annotationId',
  'commentId',
  'type',
  'status',
  'commentsCount',
  'locationId',
  'metadata',
  'sourceType',
  'createdAt',
  'lastUpdated',
]);

/** Tests whether a user id belongs to a person to remove. */
type IsPerson = (userId: string) => boolean;

/** Adds the user ids in lists and single members of rendered threads to `userIds`. Ignores free JSON and invalid ids. */
export function addUsersInThreads(userIds: Set<string>, parts: readonly unknown[]): void {
  for (const part of parts)
    visit(part, 0, (userId) => {
      if (isUserId(userId)) userIds.add(userId);
    });
}

/** Whether lists or single members of rendered threads name a person. */
export function threadsName(part: unknown, isPerson: IsPerson): boolean {
  let named = false;
  visit(part, 0, (userId) => (named ||= isPerson(userId)));
  return named;
}

function visit(part: unknown, depth: number, found: (userId: string) => void): void {
  if (typeof part !== 'object' || part === null || depth > maxSearchDepth) return;
  if (Array.isArray(part)) {
    for (const item of part) visit(item, depth + 1, found);
    return;
  }
  for (const name of Object.keys(part)) {
    const member = (part as Record<string, unknown>)[name];
    if (typeof member === 'string' && singles.has(name)) found(member);
    if (typeof member !== 'object' || free.has(name)) continue;
    if (Array.isArray(member) && lists.has(name))
      for (const item of member) if (typeof item === 'string') found(item);
    visit(member, depth + 1, found);
  }
}

/**
 * Returns rendered threads without the people: ids leave lists, single members become null, and marks become
 * `{{deleted}}`. A comment or an annotation of theirs keeps only what Steward wrote. Keeps other objects with their
 * `userId`, and the pairs `from` and `to` of `changes`, whose `from` is no author.
 */
export function threadsWithout<Part>(part: Part, isPerson: IsPerson): Part {
  return cleaned(part, 0, isPerson) as Part;
}

function cleaned(part: unknown, depth: number, isPerson: IsPerson): unknown {
  if (typeof part !== 'object' || part === null || depth > maxSearchDepth) return part;
  if (Array.isArray(part)) return part.map((item) => cleaned(item, depth + 1, isPerson));
  const members = Object.entries(part) as [string, unknown][];
  const kept = isByPerson(part, isPerson) ? members.filter(([name]) => ofAuthor.has(name)) : members;
  return Object.fromEntries(
    kept.map(([name, member]) => [
      name,
      name === 'changes'
        ? cleanedChanges(member, depth + 1, isPerson)
        : // Free JSON of callers is cleaned like that of other records.
          free.has(name)
          ? member
          : cleanedMember(name, member, depth, isPerson),
    ]),
  );
}

/** Cleans a map of changes at a depth. */
function cleanedChanges(changes: unknown, depth: number, isPerson: IsPerson): unknown {
  if (!isJsonObject(changes)) return cleaned(changes, depth, isPerson);
  return mapped(changes, (name, change) =>
    isJsonObject(change)
      ? mapped(change, (side, value) => cleanedMember(side, value, depth + 1, isPerson))
      : cleanedMember(name, change, depth, isPerson),
  );
}

/** `fromEntries` defines `__proto__` as an ordinary member. */
const mapped = (part: object, act: (name: string, member: unknown) => unknown): object =>
  Object.fromEntries(Object.entries(part).map(([name, member]) => [name, act(name, member)]));

function cleanedMember(name: string, member: unknown, depth: number, isPerson: IsPerson): unknown {
  if (typeof member === 'string') {
    if (singles.has(name) && isPerson(member)) return null;
    return texts.has(name) ? unmarked(member, isPerson) : member;
  }
  if (lists.has(name) && Array.isArray(member))
    return member.filter((item) => !(typeof item === 'string' && isPerson(item)));
  return cleaned(member, depth + 1, isPerson);
}

function isByPerson(part: object, isPerson: IsPerson): boolean {
  const { from } = part as { readonly from?: unknown };
  if (typeof from !== 'object' || from === null) return false;
  const { userId } = from as { readonly userId?: unknown };
  return typeof userId === 'string' && isPerson(userId);
}

const unmarked = (text: string, isPerson: IsPerson): string =>
  replacedMarks(text, (userId) => (isPerson(userId) ? deletedMark : undefined));

/**
 * Text in which `replacementOf` replaces marks of users, with at least the first `enough` characters. Linear: each position
 * is searched once for an opening and once for a closing mark.
 */
export function replacedMarks(
  text: string,
  replacementOf: (userId: string) => string | undefined,
  enough = Infinity,
): string {
  let shown = '';
  let from = 0;
  let close = -1;
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', open + 1)) {
    if (shown.length + open - from > enough) break;
    if (close < open + 2) close = text.indexOf('}}', open + 2);
    if (close === -1) break;
    if (close - open > maxMarkLength) continue;
    const mark = markAt(text, open, close, replacementOf);
    if (mark === undefined) continue;
    shown += text.slice(from, open) + mark.replacement;
    from = mark.end;
    open = mark.end - 1;
  }
  return shown + text.slice(from);
}

/** The mark from `open` to the braces at `close`. An id may itself end with braces, like `{7b2a}`. */
function markAt(
  text: string,
  open: number,
  close: number,
  replacementOf: (userId: string) => string | undefined,
): { readonly replacement: string; readonly end: number } | undefined {
  for (let last = close; last <= close + maxFinalBraces; last += 1) {
    if (!text.startsWith('}}', last)) return undefined;
    const replacement = replacementOf(text.slice(open + 2, last));
    if (replacement !== undefined) return { replacement, end: last + 2 };
  }
  return undefined;
}

/** Braces at the end of an id, beyond which its marks are not recognized. */
const maxFinalBraces = 2;

/** Characters of the longest mark, up to its closing braces. */
const maxMarkLength = maxIdBytes + 2;
