import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import {
  bytewise,
  named,
  searchByPrefix,
  SearchRow,
  type SearchedRecord,
  type SearchPage,
  type SearchSource,
  type SearchRange,
} from '../prefix-search.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** Max organizations listed for a user. */
export const maxOrganizations = 20;

const FoundUser = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  email: z.string(),
  /** Customer's ids of organizations in which the user has memberships or grants, also expired ones; oldest first. */
  organizations: z.array(z.string()).nullable(),
});
export type FoundUser = z.infer<typeof FoundUser>;
const Row = FoundUser.extend(SearchRow.shape);

/** Max organizations examined for a user. Deleted ones are passed over until a job has removed their rows. */
const maxProbes = 100;

/** One index probe per organization of a user, however many documents the user has in it. */
const organizations = sql`(
  with recursive accessible as (
    select 0::bigint as org_id, null::text collate "C" as ext_id, 0 as listed, 0 as probes
    union all
    select n.org_id, n.ext_id, a.listed + (n.ext_id is not null)::integer, a.probes + 1
    from accessible a cross join lateral (
      select s.org_id, (select ext_id from organization where id = s.org_id) as ext_id from access s
      where s.user_id = u.id and s.org_id > a.org_id order by s.org_id limit 1) n
    where a.listed < ${sql.lit(maxOrganizations)} and a.probes < ${sql.lit(maxProbes)})
  select coalesce(jsonb_agg(ext_id order by org_id), '[]') from accessible where ext_id is not null)`;

/**
 * Finds users whose id begins with the prefix, in id order, then those whose e-mail address does, then those whose name
 * does. Includes users without a membership.
 */
export async function searchUsers(
  em: EntityManager,
  tenant: Tenant,
  prefix: string,
  range: SearchRange,
): Promise<SearchPage<FoundUser>> {
  const user = {
    table: sql`app_user u`,
    id: sql`u.id`,
    scope: sql`u.api_key_id = ${tenant.id} and u.ext_id is not null`,
  };
  const address = prefix.toLowerCase();
  const sources: readonly SearchSource[] = [
    { ...user, ...bytewise(sql`u.ext_id`, prefix), matches: sql`true` },
    {
      ...bytewise(sql`a.address`, address),
      table: sql`user_address a`,
      id: sql`a.user_id`,
      scope: sql`a.api_key_id = ${tenant.id}`,
      // The table also holds former addresses.
      matches: sql`(select u.email <> '' and lower(u.email) = a.address and not starts_with(u.ext_id, ${prefix})
        from app_user u where u.id = a.user_id)`,
    },
    {
      ...user,
      ...named('u.name', prefix),
      scope: sql`${user.scope} and u.name <> ''`,
      // Release 0.2.0 stored addresses of tokens' users in their rows alone.
      matches: sql`not starts_with(u.ext_id, ${prefix}) and not (starts_with(lower(u.email), ${address}) and exists (
        select from user_address a where a.api_key_id = ${tenant.id} and a.address = lower(u.email) and a.user_id = u.id))`,
    },
  ];
  return searchByPrefix(em, Row, sources, record, range);
}

const record: SearchedRecord = {
  columns: ['ext_id', 'name', 'email'],
  selected: sql`u.ext_id, u.name, u.email, case when found.matches then ${organizations} end as organizations`,
  joined: sql`found join app_user u on u.id = found.id`,
  content: 'organizations',
  beside: sql`2 * octet_length(ext_id) + octet_length(name) + octet_length(email)`,
};
