export type Json = Record<string, unknown>;

export interface User extends Json {
  readonly userId: string;
}

/** The new user by the id of the replaced one. */
export type Replaced = ReadonlyMap<string, User>;

export interface Reaction {
  readonly icon: string;
  readonly annotationId: string;
  readonly lastUpdated: number;
  readonly fromUsers: readonly { readonly from: User; readonly lastUpdated: number }[];
  readonly [member: string]: unknown;
}

export interface Comment extends Json {
  readonly from: User;
  readonly commentText: string;
  readonly taggedUserContacts?: readonly { readonly userId: string; readonly contact?: User }[];
  readonly progress?: { readonly steps: readonly Json[]; readonly visibleToUserIds: readonly string[] };
  readonly attachments: readonly Json[];
  readonly actions?: readonly Json[];
  readonly agent?: Json;
  readonly reactionAnnotations: readonly Reaction[];
  readonly lastUpdated: number;
}

export interface Annotation extends Json {
  readonly annotationId: string;
  readonly from: User;
  readonly location: Json;
  readonly assignedTo: User | null;
  readonly visibilityConfig: { readonly type: string; readonly userIds?: readonly string[] };
  readonly resolvedByUserId: string | null;
  readonly statusUpdatedByUserId: string | null;
  readonly comments: readonly Comment[];
  readonly lastUpdated: number;
}

const maps = ['mentions', 'notifyUsers', 'notifyUsersByUserId'];

/** Names of members of users and locations. They are keys of a user only in a map of users. */
const memberNames = new Set([
  'userId',
  'name',
  'email',
  'id',
  'locationId',
  'organizationId',
  'documentId',
  ...maps,
]);

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function inMembers(value: Json, users: Replaced, isName: (key: string) => boolean): Json {
  const renamed = (key: string): string => {
    const name = users.get(key)?.userId ?? key;
    return isName(key) || isName(name) ? key : name;
  };
  const kept = new Set(Object.keys(value).filter((key) => renamed(key) === key));
  const changed: Json = {};
  for (const [key, member] of Object.entries(value)) {
    const name = renamed(key);
    // The existing member of the new user wins.
    if (name === key || !kept.has(name)) changed[name] = inFree(member, users, maps.includes(key));
  }
  return changed;
}

function inFree<Value>(value: Value, users: Replaced, inMap = false): Value {
  if (Array.isArray(value)) return value.map((item: unknown) => inFree(item, users)) as Value;
  if (!isObject(value)) return value;
  const user = users.get(String(value['userId']));
  return (user ?? inMembers(value, users, (key) => !inMap && memberNames.has(key))) as Value;
}

const idAfter = <Id extends string | null>(userId: Id, users: Replaced): Id =>
  userId === null ? userId : ((users.get(userId)?.userId ?? userId) as Id);

const idsAfter = (userIds: readonly string[], users: Replaced): string[] => [
  ...new Set(userIds.map((userId) => idAfter(userId, users))),
];

/** A location, suggestion or agent: `summary` is a known member of it, and only its `userId` changes. */
function inRecord(value: unknown, users: Replaced): Json | undefined {
  if (!isObject(value)) return undefined;
  const members = inMembers(value, users, (key) => key === 'summary' || memberNames.has(key));
  const { userId } = value;
  return typeof userId === 'string' ? { ...members, userId: idAfter(userId, users) } : members;
}

const inAgent = (agent: Json | undefined, users: Replaced): Json | undefined =>
  agent && { ...inRecord(agent, users), reason: inRecord(agent['reason'], users) };

const inMetadata = (items: readonly Json[] | undefined, users: Replaced): Json[] | undefined =>
  items?.map((item) => ({ ...item, metadata: inFree(item['metadata'], users) }));

/** One reaction per user and icon: that of the new user, or else the first among the merged users. */
function reactionsAfter(reactions: readonly Reaction[], users: Replaced): object[] {
  return reactions
    .map((reaction) => {
      const given = reaction.fromUsers.map(({ from, lastUpdated }) => ({
        before: from.userId,
        from: inFree(from, users),
        lastUpdated,
      }));
      const fromUsers = given
        .filter((one) => {
          const same = given.filter(({ from }) => from.userId === one.from.userId);
          return one === (same.find(({ before, from }) => before === from.userId) ?? same[0]);
        })
        .map(({ from, lastUpdated }) => ({ from, lastUpdated }));
      const last = Math.max(...fromUsers.map(({ lastUpdated }) => lastUpdated));
      return { ...reaction, fromUsers, count: fromUsers.length, lastUpdated: last };
    })
    .sort((one, other) => (one.fromUsers[0]?.lastUpdated ?? 0) - (other.fromUsers[0]?.lastUpdated ?? 0));
}

function commentAfter(comment: Comment, users: Replaced): Json {
  const tagged = new Set((comment.taggedUserContacts ?? []).map(({ userId }) => userId));
  const contacts = comment.taggedUserContacts?.map((entry) => ({
    ...entry,
    userId: idAfter(entry.userId, users),
    contact: inFree(entry.contact, users),
  }));
  const reactionAnnotations = reactionsAfter(comment.reactionAnnotations, users);
  return {
    ...comment,
    from: inFree(comment.from, users),
    commentText: comment.commentText.replaceAll(/\{\{([a-z]+)\}\}/g, (mark: string, userId: string) =>
      tagged.has(userId) ? `{{${idAfter(userId, users)}}}` : mark,
    ),
    taggedUserContacts: contacts,
    to: (contacts ?? []).map(({ userId, contact }) => contact ?? { userId }),
    attachments: inMetadata(comment.attachments, users),
    actions: inMetadata(comment.actions, users),
    context: inFree(comment['context'], users),
    agent: inAgent(comment.agent, users),
    progress: comment.progress && {
      ...comment.progress,
      steps: inMetadata(comment.progress.steps, users),
      visibleToUserIds: idsAfter(comment.progress.visibleToUserIds, users),
    },
    reactionAnnotations,
    reactionAnnotationIds: reactionAnnotations.map((reaction) => (reaction as Reaction).annotationId),
  };
}

/** Returns a returned annotation as `updateUsers` changes it, except its times and the profile of its resolver. */
export function annotationAfter(annotation: Annotation, users: Replaced): Annotation {
  const { visibilityConfig } = annotation;
  const comments = annotation.comments.map((comment) => commentAfter(comment, users) as Comment);
  const tagged = comments.flatMap(({ taggedUserContacts = [] }) =>
    taggedUserContacts.map(({ userId }) => userId),
  );
  const assignedTo = inFree(annotation.assignedTo, users);
  const authors = comments.map(({ from }) => from.userId);
  const involved = [...authors, ...tagged, ...(assignedTo === null ? [] : [assignedTo.userId])];
  return {
    ...annotation,
    from: inFree(annotation.from, users),
    location: inRecord(annotation.location, users) ?? {},
    suggestion: inRecord(annotation['suggestion'], users),
    agent: inAgent(annotation['agent'] as Json | undefined, users),
    targetElement: inFree(annotation['targetElement'], users),
    context: inFree(annotation['context'], users),
    pageInfo: inFree(annotation['pageInfo'], users),
    actions: inMetadata(annotation['actions'] as Json[] | undefined, users),
    assignedTo,
    visibilityConfig: {
      ...visibilityConfig,
      ...(visibilityConfig.userIds && { userIds: idsAfter(visibilityConfig.userIds, users) }),
    },
    resolvedByUserId: idAfter(annotation.resolvedByUserId, users),
    statusUpdatedByUserId: idAfter(annotation.statusUpdatedByUserId, users),
    involvedUserIds: [...new Set(involved)].sort(),
    mentionedUserIds: [...new Set(tagged)].sort(),
    comments,
  };
}
