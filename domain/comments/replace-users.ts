import { maxSearchDepth, mapsOfPeople, mayBePerson } from '../users/named-users.ts';
import { replacedMarks } from '../users/users-in-threads.ts';
import type { Agent, CommentBody, NamedUser } from './comment.entity.ts';
import type { ThreadBody } from './thread.entity.ts';

/** New users by the customer's ids of the replaced ones. All apply at once, so two users may replace each other. */
export type Replacements = ReadonlyMap<string, NamedUser>;

/** Members of locations, suggestions and agents with a fixed meaning. Their names are no user ids. */
const fixedNames: ReadonlySet<string> = new Set([
  'locationName',
  'targetId',
  'targetType',
  'oldValue',
  'newValue',
  'summary',
  'agentSource',
  'agentId',
  'executionId',
  'agentName',
  'agentType',
  'url',
  'reason',
  'title',
  'description',
  'severity',
  'findingId',
]);

/** Typed members of users. A user with such an id replaces no key, which would get a value of another type. */
const ofUsers: ReadonlySet<string> = new Set(['photoUrl']);

interface Position {
  readonly depth: number;
  /** Whether the keys of this object are people. */
  readonly inMap: boolean;
}

const top: Position = { depth: 0, inMap: false };

/**
 * Replaces each object with the `userId` of a replaced user by the new user. Replaces keys that are the id of a
 * replaced user by the new id. When the new id is a key already, that member is kept instead. A key stays when the new
 * id has a fixed meaning as a key.
 */
function inFree<Value>(value: Value, users: Replacements, position = top): Value {
  const { depth } = position;
  if (typeof value !== 'object' || value === null || depth > maxSearchDepth) return value;
  if (Array.isArray(value))
    return value.map((item: unknown) => inFree(item, users, { depth: depth + 1, inMap: false })) as Value;
  const userId: unknown = Object.hasOwn(value, 'userId') ? Reflect.get(value, 'userId') : undefined;
  const user = typeof userId === 'string' ? users.get(userId) : undefined;
  return user === undefined ? inMembers(value, users, position) : (user as Value);
}

function inMembers<Value extends object>(
  value: Value,
  users: Replacements,
  { depth, inMap }: Position,
  fixed?: ReadonlySet<string>,
): Value {
  const names = (key: string): boolean => fixed?.has(key) !== true && mayBePerson(key, inMap);
  const renamed = (key: string): string => {
    const name = names(key) ? users.get(key)?.userId : undefined;
    return name !== undefined && names(name) && (inMap || !ofUsers.has(name)) ? name : key;
  };
  const members = Object.entries(value).flatMap(([key, member]) => {
    const name = renamed(key);
    if (name !== key && Object.hasOwn(value, name) && renamed(name) === name) return [];
    return [[name, inFree(member, users, { depth: depth + 1, inMap: mapsOfPeople.has(key) })]];
  });
  // `fromEntries` defines `__proto__` as an ordinary member.
  return Object.fromEntries(members) as Value;
}

/** Replaces users in a location, suggestion or agent. The object itself is kept; only its `userId` changes. */
function inFixed<Value extends object | undefined>(value: Value, users: Replacements): Value {
  // An earlier release may have replaced a text by it.
  if (typeof value !== 'object') return value;
  const members = inMembers(value, users, top, fixedNames);
  const userId: unknown = Reflect.get(value, 'userId');
  const user = typeof userId === 'string' ? users.get(userId)?.userId : undefined;
  return user === undefined ? members : { ...members, userId: user };
}

function inAgent(agent: Agent | undefined, users: Replacements): Agent | undefined {
  if (agent === undefined) return undefined;
  return { ...inFixed(agent, users), ...(agent.reason && { reason: inFixed(agent.reason, users) }) };
}

const inMetadata = <Item extends object>(items: readonly Item[] | undefined, users: Replacements) =>
  items?.map((item) => ('metadata' in item ? { ...item, metadata: inFree(item['metadata'], users) } : item));

const replacedIds = (userIds: readonly string[], users: Replacements): string[] => [
  ...new Set(userIds.map((userId) => users.get(userId)?.userId ?? userId)),
];

/** A thread body with users replaced. */
export function replaceInThread(body: ThreadBody, users: Replacements): ThreadBody {
  const { from, location, targetElement, assignedTo, suggestion, visibilityConfig, context, pageInfo } = body;
  return {
    ...body,
    from: inFree(from, users),
    location: inFixed(location, users),
    targetElement: inFree(targetElement, users),
    assignedTo: inFree(assignedTo, users),
    suggestion: inFixed(suggestion, users),
    visibilityConfig: visibilityConfig && {
      ...visibilityConfig,
      userIds: visibilityConfig.userIds && replacedIds(visibilityConfig.userIds, users),
    },
    context: inFree(context, users),
    pageInfo: inFree(pageInfo, users),
    actions: inMetadata(body.actions, users),
    agent: inAgent(body.agent, users),
  };
}

interface Progress {
  readonly steps?: readonly object[];
  readonly visibleToUserIds?: readonly string[];
}

/** A comment body with users replaced, also in tags and in the marks of tagged users in the text. */
export function replaceInComment(body: CommentBody, users: Replacements): CommentBody {
  const { taggedUserContacts, progress } = body;
  const tagged = new Map(
    (taggedUserContacts ?? []).flatMap(({ userId }) => {
      const user = users.get(userId);
      return user === undefined ? [] : [[userId, user.userId] as const];
    }),
  );
  return {
    ...body,
    from: inFree(body.from, users),
    commentText: body.commentText && replaceMarks(body.commentText, tagged),
    commentHtml: body.commentHtml && replaceMarks(body.commentHtml, tagged),
    taggedUserContacts: taggedUserContacts?.map((entry) => ({
      ...entry,
      userId: tagged.get(entry.userId) ?? entry.userId,
      ...(entry.contact && { contact: inFree(entry.contact, users) }),
    })),
    attachments: inMetadata(body.attachments, users),
    context: inFree(body.context, users),
    agent: inAgent(body.agent, users),
    progress: progress && replaceInProgress(progress, users),
    actions: inMetadata(body.actions, users),
  };
}

const replaceInProgress = (progress: Progress, users: Replacements): Progress => ({
  ...progress,
  ...(progress.steps && { steps: inMetadata(progress.steps, users) ?? [] }),
  ...(progress.visibleToUserIds && { visibleToUserIds: replacedIds(progress.visibleToUserIds, users) }),
});

/** A user who reacted, with users replaced. */
export const replaceInUser = (from: NamedUser, users: Replacements): NamedUser => inFree(from, users);

/** Text in which the marks `{{userId}}` of tagged users carry the new ids. Takes linear time. */
export function replaceMarks(text: string, tagged: ReadonlyMap<string, string>): string {
  return replacedMarks(text, (userId) => {
    const newId = tagged.get(userId);
    return newId === undefined ? undefined : `{{${newId}}}`;
  });
}
