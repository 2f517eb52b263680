import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { MembershipLevel } from './membership-level.ts';
import { boundedUsers, searched, UserRow, where, type UserFilter } from './user-row.ts';

export interface MemberPage {
  readonly users: UserRow[];
  /** Cursor: id after which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

/**
 * Returns the page of members of exactly one level after the id `after`, in byte order of ids. Excludes users with only a
 * grant.
 */
export async function readMembers(
  em: EntityManager,
  tenant: Tenant,
  level: MembershipLevel,
  filter: UserFilter,
  paging: Paging,
): Promise<MemberPage> {
  const { after, limit } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) => statement(tenant, level, filter, paging, sizing));
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const users = matching.slice(0, limit.rows);
  if (cut) return { users, next: users.at(-1)?.ext_id ?? after, cut };
  if (matching.length > limit.rows) return { users, next: users.at(-1)?.ext_id, cut };
  // The statement returns the last row examined even without a match: it is the cursor of the next page.
  return { users, next: found.find(({ last }) => last)?.ext_id, cut };
}

const FoundRow = UserRow.extend(BoundedRow.shape).extend({ matches: z.boolean(), last: z.boolean() });

interface Paging {
  readonly after: string | undefined;
  readonly limit: PageLimit;
}

function statement(
  tenant: Tenant,
  { kind, resource }: MembershipLevel,
  { userIds, groups, searchKey }: UserFilter,
  { after = '', limit }: Paging,
  sizing: Sizing,
) {
  const examined = searchKey === undefined ? limit.rows + 1 : maxExamined;
  // Each requested user is looked up by the whole key: before PostgreSQL 17, `user_ext = any(…)` may read every member.
  const members = (rows: RawBuilder<unknown>) =>
    userIds === undefined
      ? sql`select user_id, user_ext from ${rows} and user_ext > ${after} order by user_ext limit ${examined}`
      : sql`select r.user_id, r.user_ext from unnest(${userIds}::text[]) as requested (user_ext) cross join lateral (
            select user_id, user_ext from ${rows} and user_ext > ${after} and user_ext = requested.user_ext offset 0) r
          order by r.user_ext limit ${examined}`;
  const source =
    groups === undefined
      ? members(sql`access where api_key_id = ${tenant.id} and kind = ${kind} and resource_id = ${resource}`)
      : sql`select distinct on (m.user_ext) m.user_id, m.user_ext from unnest(${groups}::bigint[]) as g (id)
          cross join lateral (${members(sql`user_group_member where api_key_id = ${tenant.id} and group_id = g.id`)}) m
          order by m.user_ext limit ${examined}`;
  return sql`
    with candidates as (
      select c.*, row_number() over (order by c.user_ext) as position from (${source}) c),
    judged as (
      select c.user_ext as ext_id, u.name, u.email, u.metadata, m.member_role, c.position = ${examined} as last,
        m.user_id is not null ${where(searchKey, searched)} as matches
      from candidates c join app_user u on u.id = c.user_id
      left join access m on m.user_id = c.user_id and m.user_ext = c.user_ext
        and m.kind = ${kind} and m.resource_id = ${resource} and m.is_member),
    page as (
      select ext_id, name, email, case when matches then metadata end as metadata, member_role, last, matches
      from judged where matches or last order by ext_id limit ${limit.rows + 1}),
    ${boundedUsers(sizing, { from: 'page', order: sql`s.ext_id`, limit })}
    select ext_id, name, email, case when fits then metadata end as metadata, member_role, last, matches, fits, candidates
    from within order by nth`;
}
