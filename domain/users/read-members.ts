import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { Level } from './membership-level.ts';
import { boundedUsers, mostExamined, searched, type UserFilter, type UserRow } from './user-row.ts';

export interface MemberPage {
  readonly users: UserRow[];
  /** Id behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** Members of exactly one level, in byte order of their ids, behind `after`. Holders of a mere grant are passed over. */
export async function readMembers(
  em: EntityManager,
  tenant: Tenant,
  level: Level,
  filter: UserFilter,
  { after, limit }: { readonly after: string | undefined; readonly limit: PageLimit },
): Promise<MemberPage> {
  const { userIds, groups, searchKey } = filter;
  const examined = searchKey === undefined ? limit.rows + 1 : mostExamined;
  const found = await rowsWithin<FoundRow>(em, (sizing) => statement(filter, sizing), [
    tenant.id,
    level.kind,
    level.resource,
    after ?? '',
    examined,
    limit.rows + 1,
    limit.bytes,
    limit.aloneBytes,
    ...[searchKey, userIds, groups].filter((given) => given !== undefined),
  ]);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const users = matching.slice(0, limit.rows);
  if (cut) return { users, next: users.at(-1)?.ext_id ?? after, cut };
  if (matching.length > limit.rows) return { users, next: users.at(-1)?.ext_id, cut };
  // The last row examined is answered even when it does not match: it says where to go on.
  return { users, next: found.find(({ last }) => last)?.ext_id, cut };
}

type FoundRow = UserRow & BoundedRow & { readonly matches: boolean; readonly last: boolean };

const bounded = (sizing: Sizing): string =>
  boundedUsers(sizing, {
    from: 'page',
    order: 's.ext_id',
    bytes: '$7::bigint',
    aloneBytes: '$8::bigint',
  });

function statement({ userIds, groups, searchKey }: UserFilter, sizing: Sizing): string {
  let next = 9;
  const parameter = (given: unknown): string => (given === undefined ? '' : `$${String(next++)}`);
  const search = parameter(searchKey);
  const ids = parameter(userIds);
  const among = parameter(groups);
  const asked = ids === '' ? '' : `and user_ext = any(${ids}::text[])`;
  const source =
    among === ''
      ? `select user_id, user_ext from access
         where api_key_id = $1 and kind = $2 and resource_id = $3 and user_ext > $4 ${asked} order by user_ext limit $5`
      : `select distinct on (m.user_ext) m.user_id, m.user_ext from unnest(${among}::bigint[]) as g (id) cross join lateral (
           select user_id, user_ext from user_group_member
           where api_key_id = $1 and group_id = g.id and user_ext > $4 ${asked} order by user_ext limit $5) m
         order by m.user_ext limit $5`;
  return `
    with candidates as (
      select c.*, row_number() over (order by c.user_ext) as place from (${source}) c),
    judged as (
      select c.user_ext as ext_id, u.name, u.email, u.metadata, m.member_role, c.place = $5 as last,
        m.user_id is not null ${search === '' ? '' : `and ${searched(search)}`} as matches
      from candidates c join app_user u on u.id = c.user_id
      left join access m on m.user_id = c.user_id and m.user_ext = c.user_ext and m.kind = $2 and m.resource_id = $3 and m.is_member),
    page as (
      select ext_id, name, email, case when matches then metadata end as metadata, member_role, last, matches
      from judged where matches or last order by ext_id limit $6),
    ${bounded(sizing)}
    select ext_id, name, email, case when fits then metadata end as metadata, member_role, last, matches, fits, candidates
    from within order by nth`;
}
