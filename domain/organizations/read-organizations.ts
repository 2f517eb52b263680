import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { sortByIds } from '../sort-by-ids.ts';
import type { Metadata } from '../metadata.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lookupOf } from '../../platform/database/statements.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

const OrganizationRow = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  disabled: z.boolean(),
  metadata: z.custom<Metadata>(),
});
export type OrganizationRow = z.infer<typeof OrganizationRow>;
const FoundRow = OrganizationRow.extend(BoundedRow.shape);

const SmallRow = OrganizationRow.extend({ metadata: OrganizationRow.shape.metadata.nullable() });

export interface OrganizationPage {
  readonly organizations: readonly OrganizationRow[];
  /** The id behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/**
 * Those of at most 30 ids that exist, in the order in which they were asked for; undefined when one of them holds more
 * metadata than a small response has room for 30 times.
 */
export async function readSmallOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<OrganizationRow[] | undefined> {
  const found = await lookupOf(em, SmallRow, smallById(tenant, organizationIds));
  const read = found.filter((row): row is OrganizationRow => row.metadata !== null);
  return read.length < found.length ? undefined : sortByIds(read, organizationIds, ({ ext_id }) => ext_id);
}

/** Those of at most 30 ids that exist, in the order in which they were asked for: one statement for every `bytes` of them. */
export async function readOrganizationsById(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
  limit: PageLimit,
): Promise<OrganizationRow[]> {
  const organizations: OrganizationRow[] = [];
  let asked = organizationIds;
  while (asked.length > 0) {
    const wanted = asked;
    const found = await rowsWithin(em, FoundRow, (sizing) => byId(tenant, wanted, limit, sizing));
    const { fitting, cut } = withinLimit(found);
    organizations.push(...fitting);
    const last = fitting.at(-1);
    asked = cut && last !== undefined ? asked.slice(asked.indexOf(last.ext_id) + 1) : [];
  }
  return organizations;
}

/** In byte order of the ids, behind `after`. */
export async function readOrganizations(
  em: EntityManager,
  tenant: Tenant,
  { after, limit }: { readonly after: string | undefined; readonly limit: PageLimit },
): Promise<OrganizationPage> {
  const found = await rowsWithin(em, FoundRow, (sizing) => inIdOrder(tenant, after ?? '', limit, sizing));
  const { fitting, cut } = withinLimit(found);
  const organizations = fitting.slice(0, limit.rows);
  const more = cut || fitting.length > limit.rows;
  return { organizations, next: more ? (organizations.at(-1)?.ext_id ?? after) : undefined, cut };
}

/**
 * Not ordered: a join with the list of ids would let the planner read the whole table while it is small. A template: a
 * builder would take 8 µs of each request.
 */
const smallById = (tenant: Tenant, organizationIds: readonly string[]) => sql`
  select ext_id, name, disabled, case when pg_column_size(metadata) <= 1024 then metadata end as metadata
  from organization where api_key_id = ${tenant.id} and ext_id = any(${organizationIds})`;

const bounded = (sizing: Sizing, order: RawBuilder<unknown>, limit: PageLimit) =>
  withinBytes(sizing, {
    from: 'candidate',
    order,
    content: 'metadata',
    type: 'jsonb',
    beside: sql`2 * octet_length(ext_id) + coalesce(octet_length(name), 0)`,
    limit,
  });

const columns = sql`ext_id, name, disabled, case when fits then metadata end as metadata, fits, candidates`;

const byId = (tenant: Tenant, organizationIds: readonly string[], limit: PageLimit, sizing: Sizing) => sql`
  with candidate as (
    select ext_id, name, disabled, metadata, array_position(${organizationIds}::text[], ext_id) as place from organization
    where api_key_id = ${tenant.id} and ext_id = any(${organizationIds})),
  ${bounded(sizing, sql`s.place`, limit)}
  select ${columns} from within order by nth`;

const inIdOrder = (tenant: Tenant, after: string, limit: PageLimit, sizing: Sizing) => sql`
  with candidate as (
    select ext_id, name, disabled, metadata from organization
    where api_key_id = ${tenant.id} and ext_id > ${after} order by ext_id limit ${limit.rows + 1}),
  ${bounded(sizing, sql`s.ext_id`, limit)}
  select ${columns} from within order by nth`;
