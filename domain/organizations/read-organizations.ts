import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { PreparedLookup } from '../../platform/database/prepared-lookup.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { sortByIds } from '../sort-by-ids.ts';
import type { Metadata } from '../metadata.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';

export const OrganizationRow = z.strictObject({
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
  /** Cursor: id after which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

/**
 * Returns the existing organizations among at most 30 ids, in the order requested. Undefined if one holds more than 1 KiB
 * of metadata.
 */
export async function readSmallOrganizations(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<OrganizationRow[] | undefined> {
  const found = await smallById.rows(em, tenant.id, organizationIds);
  const read = found.filter((row): row is OrganizationRow => row.metadata !== null);
  return read.length < found.length ? undefined : sortByIds(read, organizationIds, ({ ext_id }) => ext_id);
}

/**
 * Returns the existing organizations among at most 30 ids, in the order requested. One statement per `limit.bytes`. None and
 * `cut` when one exceeds `limit.aloneBytes`: releases before 0.3.0 stored larger metadata.
 */
export async function readOrganizationsById(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
  limit: PageLimit,
): Promise<Omit<OrganizationPage, 'next'>> {
  const organizations: OrganizationRow[] = [];
  let remaining = organizationIds;
  while (remaining.length > 0) {
    const requested = remaining;
    const found = await rowsWithin(em, FoundRow, (sizing) => byId(tenant, requested, limit, sizing));
    const { fitting, cut } = withinLimit(found);
    organizations.push(...fitting);
    const last = fitting.at(-1);
    if (cut && last === undefined) return { organizations: [], cut };
    remaining = last !== undefined && cut ? remaining.slice(remaining.indexOf(last.ext_id) + 1) : [];
  }
  return { organizations, cut: false };
}

/** Returns the page of organizations after the id `after`, in byte order of ids. */
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

/** Unordered: a join with the list of ids would let the planner scan the whole table while it is small. */
const smallById = new PreparedLookup(
  SmallRow,
  (tenantId: string, organizationIds: readonly string[]) => sql`
  select ext_id, name, disabled, case when pg_column_size(metadata) <= 1024 then metadata end as metadata
  from organization where api_key_id = ${tenantId} and ext_id = any(${organizationIds})`,
);

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
    select ext_id, name, disabled, metadata, array_position(${organizationIds}::text[], ext_id) as position from organization
    where api_key_id = ${tenant.id} and ext_id = any(${organizationIds})),
  ${bounded(sizing, sql`s.position`, limit)}
  select ${columns} from within order by nth`;

const inIdOrder = (tenant: Tenant, after: string, limit: PageLimit, sizing: Sizing) => sql`
  with candidate as (
    select ext_id, name, disabled, metadata from organization
    where api_key_id = ${tenant.id} and ext_id > ${after} order by ext_id limit ${limit.rows + 1}),
  ${bounded(sizing, sql`s.ext_id`, limit)}
  select ${columns} from within order by nth`;
