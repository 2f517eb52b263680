import { sha256 } from '../../platform/encryption/tokens.ts';
import { canonicalJson } from '../../platform/json/canonical-hash.ts';
import { eachItem, type Pausable } from '../../platform/process/in-turns.ts';
import { distinctNames } from '../users/name-index.ts';
import { addNamed, mergedPeople, namedPeople, type NamedPeople } from '../users/named-users.ts';
import { metadataOf, noUsers, prepareComment, type CommentInput, type PreparedComment } from './comment.ts';
import { addRole, threadRoles } from './thread-person.entity.ts';
import type { ThreadBody, ThreadKind } from './thread.entity.ts';

/** An annotation as sent. */
export interface AnnotationInput {
  readonly annotationId: string;
  /** False for a generated id, which cannot exist yet. */
  readonly idSent: boolean;
  /** Position in the request. */
  readonly index: number;
  readonly kind: ThreadKind;
  readonly body: ThreadBody;
  readonly comments: readonly CommentInput[];
  /** Milliseconds since the epoch; undefined means now. */
  readonly createdAt: number | undefined;
  readonly lastUpdated: number | undefined;
}

/** A thread body in stored form, with the users that it names. Excludes its comments and their users. */
export interface WrittenThread {
  readonly json: string;
  readonly people: NamedPeople;
  /** Users named other than in `from`. */
  readonly named: ReadonlySet<string>;
  /** Keys of free JSON in the form of the name index. */
  readonly names: readonly string[];
}

/** A prepared comment with its id in the thread. */
export interface NumberedComment extends PreparedComment {
  readonly commentId: number;
}

/** An annotation as sent, with its comments and itself in stored form. */
export interface PreparedAnnotation extends Omit<AnnotationInput, 'comments'>, WrittenThread {
  readonly comments: readonly NumberedComment[];
  /** Bytes of the stored comments. */
  readonly contentBytes: number;
  /** Roles in the thread by the customer's user id. */
  readonly roles: ReadonlyMap<string, number>;
  /** Equal for a repeated item, in any order of members. */
  readonly hash: Buffer;
}

/** The members that are stored, in the order in which they are read. */
const storedMembers = (body: ThreadBody) => ({
  from: body.from,
  location: body.location,
  targetElement: body.targetElement,
  status: body.status,
  priority: body.priority,
  assignedTo: body.assignedTo,
  commentType: body.commentType,
  suggestion: body.suggestion,
  visibilityConfig: body.visibilityConfig,
  context: body.context,
  pageInfo: body.pageInfo,
  actions: body.actions,
  display: body.display,
  agent: body.agent,
});

export function writeThread(body: ThreadBody): WrittenThread {
  const { from, location, targetElement, assignedTo, suggestion, visibilityConfig } = body;
  const { context, pageInfo, actions, agent } = body;
  const json = JSON.stringify(storedMembers(body));
  const people = namedPeople(location, targetElement, assignedTo, suggestion, context, pageInfo, agent);
  if (actions !== undefined) addNamed(people, metadataOf(actions));
  for (const userId of visibilityConfig?.userIds ?? []) people.userIds.add(userId);
  const named = people.userIds.size === 0 ? noUsers : new Set(people.userIds);
  addNamed(people, [from]);
  return { json, people, named, names: distinctNames(people.keys) };
}

/**
 * Returns the ids of comments in request order. A comment without an id gets the next one above `last` and every id of
 * the call, so a repeated call assigns the same ids.
 */
export function assignCommentIds(comments: readonly CommentInput[], last: number): number[] {
  let next = Math.max(last, ...comments.map(({ commentId }) => commentId ?? 0));
  return comments.map(({ commentId }) => {
    if (commentId !== undefined) return commentId;
    next += 1;
    return next;
  });
}

/** Assigns ids to the comments, and adds stored forms, roles and the hash. Pauses after each comment. */
export function* prepareAnnotation(sent: AnnotationInput): Pausable<PreparedAnnotation> {
  const written = writeThread(sent.body);
  const ids = assignCommentIds(sent.comments, 0);
  const comments = yield* eachItem(sent.comments, (comment, at) =>
    Object.assign(prepareComment(comment), { commentId: ids[at] ?? 0 }),
  );
  const { kind, createdAt, lastUpdated } = sent;
  const hashes = comments.map(({ hash }) => hash.toString('base64'));
  return {
    ...sent,
    ...written,
    comments,
    contentBytes: comments.reduce((sum, { bytes }) => sum + bytes, 0),
    roles: rolesOf(sent.body, written.named, comments),
    hash: sha256(canonicalJson([kind, createdAt, lastUpdated, storedMembers(sent.body), hashes])),
  };
}

/** The users that annotations and their comments name. */
export const peopleOfAnnotations = (annotations: readonly PreparedAnnotation[]): NamedPeople =>
  mergedPeople(
    annotations.flatMap(({ people, comments }) => [people, ...comments.map((comment) => comment.people)]),
  );

function rolesOf(
  { assignedTo }: ThreadBody,
  ofThread: ReadonlySet<string>,
  comments: readonly PreparedComment[],
): ReadonlyMap<string, number> {
  const roles = new Map<string, number>();
  for (const userId of ofThread) addRole(roles, userId, threadRoles.named);
  if (assignedTo !== undefined) addRole(roles, assignedTo.userId, threadRoles.assignee);
  for (const comment of comments)
    for (const [userId, role] of commentRoles(comment)) addRole(roles, userId, role);
  return roles;
}

/** The roles that one comment gives, by the customer's user id. A user may appear more than once. */
export function* commentRoles({
  body,
  tagged,
  named,
}: Pick<PreparedComment, 'body' | 'tagged' | 'named'>): Generator<readonly [userId: string, role: number]> {
  yield [body.from.userId, threadRoles.author];
  for (const userId of tagged) yield [userId, threadRoles.tagged];
  for (const userId of named) yield [userId, threadRoles.named];
}
