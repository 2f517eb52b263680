import { sha256 } from '../../platform/encryption/tokens.ts';
import { canonicalJson } from '../../platform/json/canonical-hash.ts';
import { distinctNames } from '../users/name-index.ts';
import { addNamed, namedPeople, type NamedPeople } from '../users/named-users.ts';
import type { CommentBody, NamedUser } from './comment.entity.ts';

/** A comment as sent. */
export interface CommentInput {
  /** When undefined, the thread assigns the next id. */
  readonly commentId: number | undefined;
  readonly body: CommentBody;
  /** Milliseconds since the epoch; undefined means now. */
  readonly createdAt: number | undefined;
  readonly lastUpdated: number | undefined;
  readonly triggerNotification: boolean;
  readonly triggerActivities: boolean;
}

/** A body in stored form, with the users that it names. */
export interface WrittenComment {
  readonly json: string;
  /** Bytes of `json`, as `thread.content_bytes` counts them. */
  readonly bytes: number;
  /** The customer's ids of tagged users. */
  readonly tagged: ReadonlySet<string>;
  /** Every user named, with keys of free JSON and e-mail addresses. */
  readonly people: NamedPeople;
  /** Users named other than as the author. */
  readonly named: ReadonlySet<string>;
  /** Keys of free JSON in the form of the name index. */
  readonly names: readonly string[];
}

/** A comment as sent, with its body in stored form. */
export interface PreparedComment extends CommentInput, WrittenComment {
  /** Equal for a repeated request, in any order of members. */
  readonly hash: Buffer;
}

/** The members that are stored, in the order in which they are read. */
const storedMembers = (body: CommentBody) => ({
  from: body.from,
  commentText: body.commentText,
  commentHtml: body.commentHtml,
  taggedUserContacts: body.taggedUserContacts,
  attachments: body.attachments,
  context: body.context,
  isCommentResolverUsed: body.isCommentResolverUsed,
  isCommentTextAvailable: body.isCommentTextAvailable,
  agent: body.agent,
  progress: body.progress,
  actions: body.actions,
  editedAt: body.editedAt,
});

export function writeComment(body: CommentBody): WrittenComment {
  const json = JSON.stringify(storedMembers(body));
  return { json, bytes: Buffer.byteLength(json), ...peopleOfComment(body) };
}

/** The users that members of a comment name. */
export type CommentPeople = Omit<WrittenComment, 'json' | 'bytes'>;

/** Finds the users that members of a comment name. */
export function peopleOfComment(body: {
  readonly [Member in keyof CommentBody]?: CommentBody[Member] | undefined;
}): CommentPeople {
  const { from, taggedUserContacts = [], attachments, context, agent, progress, actions } = body;
  const { steps, visibleToUserIds = [] } = (progress ?? {}) as Progress;
  const { userId: author, ...ofAuthor }: Partial<NamedUser> = from ?? {};
  const people = namedPeople(ofAuthor, context, agent);
  for (const list of [attachments, actions, steps])
    if (list !== undefined) addNamed(people, metadataOf(list));
  for (const { userId, contact } of taggedUserContacts) {
    people.userIds.add(userId);
    addNamed(people, [contact]);
  }
  for (const userId of visibleToUserIds) people.userIds.add(userId);
  const named = people.userIds.size === 0 ? noUsers : new Set(people.userIds);
  addNamed(people, [{ userId: author, email: ofAuthor['email'] }]);
  return {
    tagged:
      taggedUserContacts.length === 0 ? noUsers : new Set(taggedUserContacts.map(({ userId }) => userId)),
    people,
    named,
    names: distinctNames(people.keys),
  };
}

/** The users that a comment tags, as sent. */
export const taggedUsers = ({ taggedUserContacts }: CommentBody): readonly NamedUser[] =>
  (taggedUserContacts ?? []).map(({ userId, contact }) => contact ?? { userId });

/** Shared by records that name no user, of which a batch may have thousands. */
export const noUsers: ReadonlySet<string> = new Set();

interface Progress {
  readonly steps?: readonly object[];
  readonly visibleToUserIds?: readonly string[];
}

/** The free members that items of a list may have. */
export const metadataOf = (items: readonly object[]): unknown[] =>
  items.map((item) => (item as { readonly metadata?: unknown }).metadata);

/** Adds the stored form and its hash. */
export function prepareComment(sent: CommentInput): PreparedComment {
  const { commentId, createdAt, lastUpdated } = sent;
  const written = writeComment(sent.body);
  const hash = sha256(canonicalJson([commentId, createdAt, lastUpdated, storedMembers(sent.body)]));
  return Object.assign(written, sent, { hash });
}
