import { sql } from 'kysely';
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
import { OrganizationRow } from './read-organizations.ts';

const Row = OrganizationRow.extend(SearchRow.shape);

/** Finds organizations whose id begins with the prefix, in id order, then those whose name does, in name order. */
export async function searchOrganizations(
  em: EntityManager,
  tenant: Tenant,
  prefix: string,
  range: SearchRange,
): Promise<SearchPage<OrganizationRow>> {
  const common = {
    table: sql`organization o`,
    id: sql`o.id`,
    scope: sql`o.api_key_id = ${tenant.id} and o.ext_id is not null`,
  };
  const sources: readonly SearchSource[] = [
    { ...common, ...bytewise(sql`o.ext_id`, prefix), matches: sql`true` },
    { ...common, ...named('o.name', prefix), matches: sql`not starts_with(o.ext_id, ${prefix})` },
  ];
  return searchByPrefix(em, Row, sources, record, range);
}

const record: SearchedRecord = {
  columns: ['ext_id', 'name', 'disabled'],
  selected: sql`o.ext_id, o.name, o.disabled, o.metadata`,
  joined: sql`found join organization o on o.id = found.id`,
  content: 'metadata',
  beside: sql`2 * octet_length(ext_id) + octet_length(name)`,
};
