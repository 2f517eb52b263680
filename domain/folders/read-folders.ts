import type { Metadata } from '../metadata.ts';
import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { readByIndex } from '../../platform/database/look-ups.ts';
import {
  rowsWithin,
  withinBytes,
  type BoundedRows,
  type Sizing,
} from '../../platform/database/within-bytes.ts';
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

/** SQL: `withinBytes` of folders that a CTE `candidate` holds. */
export const boundedFolders = (
  sizing: Sizing,
  {
    above,
    ...page
  }: Pick<BoundedRows, 'order' | 'bytes' | 'aloneBytes'> & {
    /** SQL: bytes of the ids of ancestors. */
    readonly above: string;
  },
): string =>
  withinBytes(sizing, {
    ...page,
    from: 'candidate',
    content: 'metadata',
    type: 'jsonb',
    beside: `2 * octet_length(ext_id) + coalesce(octet_length(name), 0) + ${above}`,
  });

/** SQL: the columns of a `FolderRow` but `above`, and those of a `BoundedRow`. */
export const boundedColumns = `ext_id, name, access_type, case when fits then metadata end as metadata, created_at, updated_at,
  fits, candidates`;

export interface FolderPage {
  readonly folders: readonly FolderRow[];
  /** The id behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

const page = (condition: string, sizing: Sizing): string => `
  with page as materialized (
    select f.* from folder f where f.api_key_id = $1 and f.org_id = $2 and f.ext_id > $3 ${condition}
    order by f.ext_id limit $4),
  chain as (
    select c.ancestors, ${idsAbove('c.ancestors')} as above from (select distinct ancestors from page) c),
  candidate as (
    select ${folderColumns}, chain.above from page f join chain on chain.ancestors = f.ancestors),
  ${boundedFolders(sizing, {
    order: 's.ext_id',
    above: `coalesce(octet_length(array_to_string(above, '","')), 0)`,
    bytes: '$5::bigint',
    aloneBytes: '$6::bigint',
  })}
  select ${boundedColumns}, above from within order by nth`;

/** In byte order of the ids, behind `after`. Siblings share their ancestors, which are looked up once a page. */
export async function readFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  {
    topOnly,
    after,
    limit,
  }: { readonly topOnly: boolean; readonly after: string | undefined; readonly limit: PageLimit },
): Promise<FolderPage> {
  const found = await readByIndex(em, (reading) =>
    rowsWithin<FolderRow & BoundedRow>(
      reading,
      (sizing) => page(topOnly ? 'and f.parent_id is null' : '', sizing),
      [tenant.id, organization.id, after ?? '', limit.rows + 1, limit.bytes, limit.aloneBytes],
    ),
  );
  const { fitting, cut } = withinLimit(found);
  const folders = fitting.slice(0, limit.rows);
  const more = cut || fitting.length > limit.rows;
  return { folders, next: more ? (folders.at(-1)?.ext_id ?? after) : undefined, cut };
}
