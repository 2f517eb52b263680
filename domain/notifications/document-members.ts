import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { fenceStands, notFencedEverywhere } from '../users/lock-users.ts';

/** A member of a document; `user` is the surrogate key. */
export interface Member {
  readonly userId: string;
  readonly user: string;
}

export interface DocumentMemberPage {
  readonly members: readonly Member[];
  /** The surrogate key of the last user examined; undefined at the end. */
  readonly next: string | undefined;
  /** The users examined just before `next`: they keep the position if `next` is deleted meanwhile. */
  readonly trail: readonly string[];
}

/** Max members notified by one call, and by one step of a job. */
const maxMembers = 1_000;

/** Max rows examined per page, which include grants without membership. */
const maxExamined = 5_000;

/** Max users of a trail. */
export const maxTrail = 100;

const AccessRow = z.strictObject({ user_id: z.string(), user_ext: z.string(), is_member: z.boolean() });
type AccessRow = z.infer<typeof AccessRow>;

/**
 * Locks the next members of a document in the order of their ids, without users under deletion. `after`: surrogate keys of
 * examined users. Continues after the last of them that still exists, and starts over when none does. A separate statement
 * reads the write fence after the rows are locked FOR KEY SHARE. So no data of a user under deletion is written.
 */
export async function lockMembers(
  em: EntityManager,
  tenantId: string,
  { organization, document }: { readonly organization: string; readonly document: string },
  after: readonly string[],
): Promise<DocumentMemberPage> {
  const found = await rowsOf(
    em,
    AccessRow,
    sql`select a.user_id, a.user_ext, a.is_member from access a
      where a.kind = ${sql.lit(resourceKindNumbers.document)} and a.resource_id = ${document} and a.api_key_id = ${tenantId}
        and a.user_ext > coalesce(
          (select max(u.ext_id) from app_user u where u.id = any(${after}::bigint[]) and u.api_key_id = ${tenantId}), '')
      order by a.user_ext limit ${sql.lit(maxExamined)}`,
  );
  const end = endOfPage(found);
  const examined = found.slice(0, end);
  const more = end < found.length || found.length === maxExamined;
  const members = examined.filter(({ is_member }) => is_member);
  return {
    members: await lockUnfenced(em, tenantId, organization, members),
    next: more ? examined.at(-1)?.user_id : undefined,
    trail: more ? examined.slice(-1 - maxTrail, -1).map(({ user_id }) => user_id) : [],
  };
}

/**
 * Whether none of the examined users exists, so that `lockMembers` has started over. Call it after `lockMembers`:
 * called before, it misses users that are deleted between the two.
 */
export async function isPositionLost(
  em: EntityManager,
  tenantId: string,
  examined: readonly string[],
): Promise<boolean> {
  const { lost } = await onlyRowOf(
    em,
    LostRow,
    sql`select not exists (
      select from app_user u
      where u.id = any(${examined}::bigint[]) and u.api_key_id = ${tenantId} and u.ext_id is not null) as lost`,
  );
  return lost;
}

const LostRow = z.strictObject({ lost: z.boolean() });

/** Returns the number of rows that contain `maxMembers` members. */
function endOfPage(found: readonly AccessRow[]): number {
  let members = 0;
  for (const [index, { is_member }] of found.entries()) {
    if (is_member) members += 1;
    if (members > maxMembers) return index;
  }
  return found.length;
}

/** Locks users FOR KEY SHARE. Returns those without a write fence, in order. */
export async function lockUnfenced(
  em: EntityManager,
  tenantId: string,
  organization: string,
  members: readonly Pick<AccessRow, 'user_id' | 'user_ext'>[],
): Promise<Member[]> {
  if (members.length === 0) return [];
  const users = members.map(({ user_id }) => user_id);
  await sql`select id from app_user u where api_key_id = ${tenantId} and id = any(${users}::bigint[])
    and ${notFencedEverywhere(tenantId)} order by id for key share of u`.execute(tablesOf(em));
  const unfencedRows = await rowsOf(
    em,
    UnfencedRow,
    sql`select u.id from app_user u where u.api_key_id = ${tenantId} and u.id = any(${users}::bigint[]) and u.ext_id is not null
      and not exists (
        select from user_deletion d where d.api_key_id = ${tenantId} and d.user_ext_id = u.ext_id and ${fenceStands([organization])})`,
  );
  const ids = new Set(unfencedRows.map(({ id }) => id));
  return members
    .filter(({ user_id }) => ids.has(user_id))
    .map(({ user_id, user_ext }) => ({ user: user_id, userId: user_ext }));
}

const UnfencedRow = z.strictObject({ id: z.string() });
