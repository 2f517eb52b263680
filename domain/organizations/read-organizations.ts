import { inOrder } from '../in-order.ts';
import type { Metadata } from '../metadata.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { quickRows } from '../../platform/database/sql.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

export interface OrganizationRow {
  readonly ext_id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly metadata: Metadata;
}

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
  // Ordered here: a join with the list of ids would let the planner read the whole table while it is small.
  const found = await quickRows<Omit<OrganizationRow, 'metadata'> & { metadata: Metadata | null }>(
    em,
    `select ext_id, name, disabled, case when pg_column_size(metadata) <= 1024 then metadata end as metadata
     from organization where api_key_id = $1 and ext_id = any($2)`,
    [tenant.id, organizationIds],
  );
  const small = found.filter((row): row is OrganizationRow => row.metadata !== null);
  return small.length < found.length ? undefined : inOrder(small, organizationIds, ({ ext_id }) => ext_id);
}

/** Those of at most 30 ids that exist, in the order in which they were asked for: one statement for every `bytes` of them. */
export async function readOrganizationsById(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
  { bytes, aloneBytes }: PageLimit,
): Promise<OrganizationRow[]> {
  const organizations: OrganizationRow[] = [];
  let asked = organizationIds;
  while (asked.length > 0) {
    const found = await rowsWithin<OrganizationRow & BoundedRow>(em, byId, [
      tenant.id,
      asked,
      bytes,
      aloneBytes,
    ]);
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
  const found = await rowsWithin<OrganizationRow & BoundedRow>(em, inIdOrder, [
    tenant.id,
    after ?? '',
    limit.rows + 1,
    limit.bytes,
    limit.aloneBytes,
  ]);
  const { fitting, cut } = withinLimit(found);
  const organizations = fitting.slice(0, limit.rows);
  const more = cut || fitting.length > limit.rows;
  return { organizations, next: more ? (organizations.at(-1)?.ext_id ?? after) : undefined, cut };
}

const bounded = (sizing: Sizing, order: string, bytes: string, aloneBytes: string): string =>
  withinBytes(sizing, {
    from: 'candidate',
    order,
    content: 'metadata',
    type: 'jsonb',
    beside: '2 * octet_length(ext_id) + coalesce(octet_length(name), 0)',
    bytes,
    aloneBytes,
  });

const columns = `ext_id, name, disabled, case when fits then metadata end as metadata, fits, candidates`;

const byId = (sizing: Sizing): string => `
  with candidate as (
    select ext_id, name, disabled, metadata, array_position($2::text[], ext_id) as place from organization
    where api_key_id = $1 and ext_id = any($2)),
  ${bounded(sizing, 's.place', '$3::bigint', '$4::bigint')}
  select ${columns} from within order by nth`;

const inIdOrder = (sizing: Sizing): string => `
  with candidate as (
    select ext_id, name, disabled, metadata from organization
    where api_key_id = $1 and ext_id > $2 order by ext_id limit $3),
  ${bounded(sizing, 's.ext_id', '$4::bigint', '$5::bigint')}
  select ${columns} from within order by nth`;
