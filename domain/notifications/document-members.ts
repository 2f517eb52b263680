import { sql } from 'kysely';
import { z } from 'zod';
import { tablesOf } from '../tables.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';
import { fenceStands, notDeleted } from '../users/lock-users.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';

/** A member of a document: the customer's id, and the surrogate key. */
export interface Member {
  readonly userId: string;
  readonly user: string;
}

export interface MemberPage {
  readonly members: readonly Member[];
  /** The surrogate key of the last person looked at; undefined at the end. */
  readonly next: string | undefined;
}

/** Members that one call notifies, and one step of a job. */
export const maxMembers = 1_000;

/** Rows looked at for them: grants stand between memberships. */
const maxExamined = 5_000;

const AccessRow = z.strictObject({ user_id: z.string(), user_ext: z.string(), is_member: z.boolean() });
type AccessRow = z.infer<typeof AccessRow>;

/**
 * The next members of a document in the order of their ids, those under deletion left out. Their rows are locked FOR KEY
 * SHARE before the fence is read, in a statement of its own, so that nothing is written about a person who is being deleted.
 */
export async function lockMembers(
  em: EntityManager,
  tenantId: string,
  { organization, document }: { readonly organization: string; readonly document: string },
  after: string | undefined,
): Promise<MemberPage> {
  const found = await rowsOf(
    em,
    AccessRow,
    sql`select a.user_id, a.user_ext, a.is_member from access a
      where a.kind = ${sql.lit(resourceKindNumbers.document)} and a.resource_id = ${document} and a.api_key_id = ${tenantId}
        and a.user_ext > coalesce(
          (select u.ext_id from app_user u where u.id = ${after ?? null}::bigint and u.api_key_id = ${tenantId}), '')
      order by a.user_ext limit ${sql.lit(maxExamined)}`,
  );
  const beyond = placeBeyond(found);
  const looked = found.slice(0, beyond);
  const more = beyond < found.length || found.length === maxExamined;
  const members = looked.filter(({ is_member }) => is_member);
  return {
    members: await unfenced(em, tenantId, organization, members),
    next: more ? looked.at(-1)?.user_id : undefined,
  };
}

/** How many rows hold as many members as one call notifies. */
function placeBeyond(found: readonly AccessRow[]): number {
  let members = 0;
  for (const [place, { is_member }] of found.entries()) {
    if (is_member) members += 1;
    if (members > maxMembers) return place;
  }
  return found.length;
}

async function unfenced(
  em: EntityManager,
  tenantId: string,
  organization: string,
  members: readonly AccessRow[],
): Promise<Member[]> {
  if (members.length === 0) return [];
  const users = members.map(({ user_id }) => user_id);
  await sql`select id from app_user u where api_key_id = ${tenantId} and id = any(${users}::bigint[])
    and ${notDeleted(tenantId)} order by id for key share of u`.execute(tablesOf(em));
  const free = await rowsOf(
    em,
    FreeRow,
    sql`select u.id from app_user u where u.api_key_id = ${tenantId} and u.id = any(${users}::bigint[]) and u.ext_id is not null
      and not exists (
        select from user_deletion d where d.api_key_id = ${tenantId} and d.user_ext_id = u.ext_id and ${fenceStands([organization])})`,
  );
  const ids = new Set(free.map(({ id }) => id));
  return members
    .filter(({ user_id }) => ids.has(user_id))
    .map(({ user_id, user_ext }) => ({ user: user_id, userId: user_ext }));
}

const FreeRow = z.strictObject({ id: z.string() });
