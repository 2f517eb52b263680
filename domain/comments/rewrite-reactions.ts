import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { jsonList } from '../../platform/json/write-json.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { indexRecords } from '../users/name-index.ts';
import { writeReaction, type WrittenReaction } from './reaction.ts';
import type { ReactionBody } from './reaction.entity.ts';
import { replaceInUser, type Replacements } from './replace-users.ts';
import { refuseLargeBody } from './thread-limits.ts';
import { addRole, threadRoles } from './thread-person.entity.ts';
import { sameJson } from './updated-thread.ts';

/** Users to replace: bodies name them by the customer's ids, columns by surrogate keys. */
export interface UserReplacement {
  readonly users: Replacements;
  /** New surrogate keys by old ones. */
  readonly keys: ReadonlyMap<string, string>;
}

/** The effect on a thread of replaced users in its comments and reactions. */
export interface ContentChange {
  /** Difference of bytes and reactions; negative when they decrease. */
  bytes: number;
  reactions: number;
  /** Roles by the customer's user id. */
  readonly roles: Map<string, number>;
}

const ReactionRow = z.strictObject({
  comment_id: z.string(),
  icon: z.string(),
  user_id: z.string(),
  org_id: z.string(),
  at: z.string(),
  bytes: z.number(),
  body: z.custom<ReactionBody>(),
});
type ReactionRow = z.infer<typeof ReactionRow>;

const keyOf = ({ comment_id, icon }: ReactionRow, user: string): string =>
  JSON.stringify([comment_id, icon, user]);

interface Rewritten {
  readonly row: ReactionRow;
  readonly user: string;
  readonly written: WrittenReaction;
}

/**
 * Replaces users in the reactions to comments of locked threads. Keeps times, because they order the icons. A user has
 * one reaction per comment and icon: the new user's own is kept, otherwise the earliest of the replaced users.
 */
export async function rewriteReactions(
  em: EntityManager,
  tenant: Tenant,
  comments: readonly string[],
  { users, keys }: UserReplacement,
  changeOf: (comment: string) => ContentChange,
): Promise<void> {
  const rows = await rowsOf(
    em,
    ReactionRow,
    sql`select r.comment_id, r.icon, r.user_id, r.org_id, r.at, octet_length(r.body::text) as bytes, r.body
      from unnest(${comments}::bigint[]) as c (id)
      cross join lateral (select * from reaction where comment_id = c.id offset 0) r order by r.at, r.user_id`,
  );
  const rewritten = rows.flatMap((row): Rewritten[] => {
    const from = replaceInUser(row.body.from, users);
    refuseLargeBody('updateUsers', row.bytes, from);
    const user = keys.get(row.user_id) ?? row.user_id;
    const isSame = user === row.user_id && sameJson(from, row.body.from);
    return isSame ? [] : [{ row, user, written: writeReaction(from) }];
  });
  if (rewritten.length === 0) return;
  const removed = new Set(rewritten.map(({ row }) => keyOf(row, row.user_id)));
  const taken = new Set(rows.map((row) => keyOf(row, row.user_id)).filter((key) => !removed.has(key)));
  const changes = ({ row, user }: Rewritten): boolean => user !== row.user_id;
  const ownFirst = rewritten.toSorted((one, other) => Number(changes(one)) - Number(changes(other)));
  const kept = ownFirst.filter(({ row, user }) => {
    const key = keyOf(row, user);
    return !taken.has(key) && taken.add(key);
  });
  for (const { row } of rewritten) {
    const change = changeOf(row.comment_id);
    change.bytes -= row.bytes;
    change.reactions -= 1;
  }
  for (const { row, written } of kept) {
    const change = changeOf(row.comment_id);
    change.bytes += written.bytes;
    change.reactions += 1;
    for (const userId of written.people.userIds) addRole(change.roles, userId, threadRoles.named);
  }
  await replaceRows(
    em,
    tenant,
    rewritten.map(({ row }) => row),
    kept,
  );
  const named = kept.map(({ row, written: { names } }) => ({ id: row.comment_id, names }));
  await indexRecords(em, tenant, 'comment', named);
}

/** Deletes the old rows before it inserts the new ones, because users may replace each other. */
async function replaceRows(
  em: EntityManager,
  tenant: Tenant,
  removed: readonly ReactionRow[],
  added: readonly Rewritten[],
): Promise<void> {
  await sql`delete from reaction r
    using unnest(${removed.map(({ comment_id }) => comment_id)}::bigint[], ${removed.map(({ icon }) => icon)}::text[],
      ${removed.map(({ user_id }) => user_id)}::bigint[]) as s (comment_id, icon, user_id)
    where r.comment_id = s.comment_id and r.icon = s.icon and r.user_id = s.user_id
      and r.comment_id = any(${removed.map(({ comment_id }) => comment_id)}::bigint[])`.execute(tablesOf(em));
  const bodies = await jsonList(added.map(({ written }) => written.json));
  await sql`insert into reaction (comment_id, icon, user_id, api_key_id, org_id, at, body)
    select s.comment_id, s.icon, s.user_id, ${tenant.id}, s.org_id, s.at, s.body
    from rows from (
        unnest(${added.map(({ row }) => row.comment_id)}::bigint[], ${added.map(({ row }) => row.icon)}::text[],
          ${added.map(({ user }) => user)}::bigint[], ${added.map(({ row }) => row.org_id)}::bigint[],
          ${added.map(({ row }) => row.at)}::bigint[]),
        json_array_elements(${bodies}::json)) as s (comment_id, icon, user_id, org_id, at, body)
    order by 1, 2, 3`.execute(tablesOf(em));
}
