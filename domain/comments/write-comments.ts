import { sql, type RawBuilder } from 'kysely';
import { required } from '../../platform/process/required.ts';
import { keysLiteral } from '../../platform/database/array-literal.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { indexRecords } from '../users/name-index.ts';
import type { NumberedComment } from './prepare-annotation.ts';
import { threadRoles } from './thread-person.entity.ts';

/** A comment of a locked thread. */
export interface NewComment {
  /** Surrogate key. */
  readonly thread: string;
  readonly comment: NumberedComment;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The surrogate key of a locked user. */
export const userKeyOf = (users: LockedUsers, userId: string): string =>
  required(users.get(userId), 'key of a locked user');

/** SQL: columns of a comment that come after its thread, in the order of `commentLists`. */
export const commentColumns = sql`ext_id, author_id, created_at, updated_at, tagged, content_hash, body`;

/** SQL: the same columns of the rows `s` of `commentLists`. */
export const sentColumns = sql`s.ext_id, s.author_id, s.created_at, s.updated_at, s.tagged::bigint[], s.hash, s.body`;

/** A comment of a thread that is not inserted yet. */
export type CommentValues = Omit<NewComment, 'thread'>;

/**
 * SQL for a FROM clause: rows `s` of comments, each with its thread, in their order `nth`. Bodies are one JSON text: a
 * PostgreSQL array would escape their quotation marks.
 */
export const commentLists = async (
  threads: RawBuilder<unknown>,
  comments: readonly CommentValues[],
  users: LockedUsers,
): Promise<RawBuilder<unknown>> => sql`
  rows from (
    unnest(${threads}, ${comments.map(({ comment }) => comment.commentId)}::bigint[],
      ${comments.map(({ comment }) => userKeyOf(users, comment.body.from.userId))}::bigint[],
      ${comments.map(({ createdAt }) => createdAt)}::bigint[], ${comments.map(({ updatedAt }) => updatedAt)}::bigint[],
      ${comments.map(({ comment }) => taggedOf(comment, users))}::text[], ${comments.map(({ comment }) => comment.hash)}::bytea[]),
    json_array_elements(${await jsonList(comments.map(({ comment }) => comment.json))}::json)) with ordinality
  as s (thread, ext_id, author_id, created_at, updated_at, tagged, hash, body, nth)`;

const taggedOf = ({ tagged }: NumberedComment, users: LockedUsers): string =>
  tagged.size === 0 ? '{}' : keysLiteral([...tagged].map((userId) => userKeyOf(users, userId)));

/** Whether the surrogate keys of new comments are needed: for the index of their names, and for events. */
export const needsKeys = ({ names, triggerNotification, triggerActivities }: NumberedComment): boolean =>
  names.length > 0 || triggerNotification || triggerActivities;

/** Surrogate keys of the comments of a thread by their ids; only of those that need them. */
export type CommentKeysById = ReadonlyMap<number, string>;

/** Indexes the names of inserted comments. `keys`: by the surrogate keys of threads. */
export async function indexComments(
  em: EntityManager,
  tenant: Tenant,
  comments: readonly NewComment[],
  keys: ReadonlyMap<string, CommentKeysById>,
): Promise<void> {
  const named = comments.flatMap(({ thread, comment: { commentId, names } }) => {
    if (names.length === 0) return [];
    const id = keys.get(thread)?.get(commentId);
    return id === undefined ? [] : [{ id, names }];
  });
  await indexRecords(em, tenant, 'comment', named);
}

/** A role of a user in a thread, by surrogate keys. */
export interface ThreadRole {
  readonly thread: string;
  readonly user: string;
  readonly role: number;
}

/** The role by which a deletion finds the last actor of a thread. Empty for an unknown actor. */
export const actorRole = (thread: string, actor: string | null): ThreadRole[] =>
  actor === null ? [] : [{ thread, user: actor, role: threadRoles.named }];

/** SQL: adds roles to users of locked threads. Each pair of thread and user appears once. */
export const addingRoles = (
  { id }: Pick<Tenant, 'id'>,
  organization: string,
  roles: readonly ThreadRole[],
): RawBuilder<unknown> => sql`
  insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
  select t.thread_id, t.user_id, ${id}, ${organization}, t.roles
  from unnest(${roles.map(({ thread }) => thread)}::bigint[], ${roles.map(({ user }) => user)}::bigint[],
    ${roles.map(({ role }) => role)}::smallint[]) as t (thread_id, user_id, roles)
  order by t.thread_id, t.user_id
  on conflict (thread_id, user_id) do update set roles = thread_person.roles | excluded.roles`;

/** Adds roles to users of locked threads. Each pair of a thread and a user appears once. */
export async function addRoles(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  organization: string,
  roles: readonly ThreadRole[],
): Promise<void> {
  if (roles.length > 0) await addingRoles(tenant, organization, roles).execute(tablesOf(em));
}
