import { inOrder } from '../in-order.ts';
import type { Metadata } from '../metadata.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { quickRows, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

export interface OrganizationRow {
  readonly ext_id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly metadata: Metadata;
}

/** Those of the ids that exist, in the order in which they were asked for. */
export async function readOrganizationsById(
  em: EntityManager,
  tenant: Tenant,
  organizationIds: readonly string[],
): Promise<OrganizationRow[]> {
  // Ordered here: a join with the list of ids would let the planner read the whole table while it is small.
  const found = await quickRows<OrganizationRow>(
    em,
    'select ext_id, name, disabled, metadata from organization where api_key_id = $1 and ext_id = any($2)',
    [tenant.id, organizationIds],
  );
  return inOrder(found, organizationIds, ({ ext_id }) => ext_id);
}

/** In byte order of the ids, behind `after`. */
export async function readOrganizations(
  em: EntityManager,
  tenant: Tenant,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<OrganizationRow[]> {
  return rows(
    em,
    `select ext_id, name, disabled, metadata from organization
     where api_key_id = $1 and ext_id > $2 order by ext_id limit $3`,
    [tenant.id, after ?? '', limit],
  );
}
