import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { indexRecords } from '../users/name-index.ts';
import type { NumberedComment } from './prepare-annotation.ts';

/** A comment of a locked thread. */
export interface NewComment {
  /** Surrogate key. */
  readonly thread: string;
  readonly comment: NumberedComment;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Surrogate keys of the call. All users that the comments name are locked. */
export interface CommentKeys {
  readonly organization: string;
  readonly users: LockedUsers;
}

export function keyOf(users: LockedUsers, userId: string): string {
  const key = users.get(userId);
  if (key === undefined) throw new Error('missing key of a locked user');
  return key;
}

const InsertedRow = z.strictObject({ id: z.string(), thread_id: z.string(), ext_id: z.string() });
export type InsertedComment = z.infer<typeof InsertedRow>;

/** Inserts comments of locked threads, whose ids are free, and indexes their names. Returns their surrogate keys. */
export async function insertComments(
  em: EntityManager,
  tenant: Tenant,
  { organization, users }: CommentKeys,
  comments: readonly NewComment[],
): Promise<readonly InsertedComment[]> {
  if (comments.length === 0) return [];
  const bodies = await jsonList(comments.map(({ comment }) => comment.json));
  const tagged = comments.map(
    ({ comment }) => `{${[...comment.tagged].map((userId) => keyOf(users, userId)).join(',')}}`,
  );
  const inserted = await rowsOf(
    em,
    InsertedRow,
    sql`insert into comment (api_key_id, org_id, thread_id, ext_id, author_id, created_at, updated_at, tagged, content_hash, body)
      select ${tenant.id}, ${organization}, thread_id, ext_id, author_id, created_at, updated_at, tagged::bigint[], hash, body
      from rows from (
          unnest(${comments.map(({ thread }) => thread)}::bigint[], ${comments.map(({ comment }) => comment.commentId)}::bigint[],
            ${comments.map(({ comment }) => keyOf(users, comment.body.from.userId))}::bigint[],
            ${comments.map(({ createdAt }) => createdAt)}::bigint[], ${comments.map(({ updatedAt }) => updatedAt)}::bigint[],
            ${tagged}::text[], ${comments.map(({ comment }) => comment.hash)}::bytea[]),
          json_array_elements(${bodies}::json)) with ordinality
        as t (thread_id, ext_id, author_id, created_at, updated_at, tagged, hash, body, nth)
      order by nth returning id, thread_id, ext_id`,
  );
  countUsage(em, tenant.id, 'comments', comments.length);
  if (comments.every(({ comment }) => comment.names.length === 0)) return inserted;
  const key = (thread: string, id: string | number): string => `${thread} ${String(id)}`;
  const keys = new Map(inserted.map(({ id, thread_id, ext_id }) => [key(thread_id, ext_id), id]));
  const named = comments.flatMap(({ thread, comment: { commentId, names } }) => {
    const id = keys.get(key(thread, commentId));
    return id === undefined ? [] : [{ id, names }];
  });
  await indexRecords(em, tenant, 'comment', named);
  return inserted;
}

/** A role of a user in a thread, by surrogate keys. */
export interface ThreadRole {
  readonly thread: string;
  readonly user: string;
  readonly role: number;
}

/** Adds roles to users of locked threads. Each pair of thread and user appears once. */
export async function addRoles(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  organization: string,
  roles: readonly ThreadRole[],
): Promise<void> {
  if (roles.length === 0) return;
  await sql`insert into thread_person (thread_id, user_id, api_key_id, org_id, roles)
    select t.thread_id, t.user_id, ${tenant.id}, ${organization}, t.roles
    from unnest(${roles.map(({ thread }) => thread)}::bigint[], ${roles.map(({ user }) => user)}::bigint[],
      ${roles.map(({ role }) => role)}::smallint[]) as t (thread_id, user_id, roles)
    order by t.thread_id, t.user_id
    on conflict (thread_id, user_id) do update set roles = thread_person.roles | excluded.roles`.execute(
    tablesOf(em),
  );
}
