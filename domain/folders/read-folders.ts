import type { Metadata } from '../metadata.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { readByIndex } from '../../platform/database/look-ups.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** A folder of the organization that was asked. Times in milliseconds. */
export interface FolderRow {
  readonly ext_id: string;
  readonly name: string;
  /** Null when inherited. */
  readonly access_type: number | null;
  readonly metadata: Metadata;
  readonly created_at: number;
  readonly updated_at: number;
  /** Customer's ids from the top folder to the parent. */
  readonly above: readonly string[];
}

const milliseconds = (column: string): string =>
  `floor(extract(epoch from ${column}) * 1000)::float8 as ${column.replace(/^.*\./, '')}`;

/** SQL: the columns of a `FolderRow` but `above`, of a folder `f`. */
export const folderColumns = `f.ext_id, f.name, f.access_type, f.metadata, ${milliseconds('f.created_at')}, ${milliseconds('f.updated_at')}`;

/** SQL: the customer's ids of ancestors, in their order. */
export const idsAbove = (ancestors: string): string =>
  `array(select a.ext_id from unnest(${ancestors}) with ordinality as chain (id, place)
    join folder a on a.id = chain.id order by chain.place)`;

const page = (condition: string): string => `
  with page as materialized (
    select f.* from folder f where f.api_key_id = $1 and f.org_id = $2 and f.ext_id > $3 ${condition}
    order by f.ext_id limit $4),
  chain as (
    select c.ancestors, ${idsAbove('c.ancestors')} as above from (select distinct ancestors from page) c)
  select ${folderColumns}, chain.above from page f join chain on chain.ancestors = f.ancestors order by f.ext_id`;

const everyFolder = page('');
const topFolders = page('and f.parent_id is null');

/** In byte order of the ids, behind `after`. Siblings share their ancestors, which are looked up once a page. */
export async function readFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  {
    topOnly,
    after,
    limit,
  }: { readonly topOnly: boolean; readonly after: string | undefined; readonly limit: number },
): Promise<FolderRow[]> {
  return readByIndex(em, (reading) =>
    rows(reading, topOnly ? topFolders : everyFolder, [tenant.id, organization.id, after ?? '', limit]),
  );
}
