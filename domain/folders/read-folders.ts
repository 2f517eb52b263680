import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { readByIndex } from '../../platform/database/planner.ts';
import {
  rowsWithin,
  withinBytes,
  type BoundedRows,
  type Sizing,
} from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { epochMilliseconds } from '../sql-times.ts';
import type { Metadata } from '../metadata.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';

/** A folder row. Times in milliseconds since 1970. */
export const FolderRow = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  /** Null when inherited. */
  access_type: z.number().nullable(),
  metadata: z.custom<Metadata>(),
  created_at: z.number(),
  updated_at: z.number(),
  /** Customer's ids from the top folder to the parent. */
  above: z.array(z.string()).readonly(),
});
export type FolderRow = z.infer<typeof FolderRow>;

/** SQL: the columns of a `FolderRow` except `above`, of a folder `f`. */
export const folderColumns = sql`f.ext_id, f.name, f.access_type, f.metadata, ${epochMilliseconds('f.created_at')} as created_at,
  ${epochMilliseconds('f.updated_at')} as updated_at`;

/** SQL: the customer's ids of ancestors, in order. */
export const idsAbove = (ancestors: RawBuilder<unknown>) =>
  sql`array(select a.ext_id from unnest(${ancestors}) with ordinality as chain (id, position)
    join folder a on a.id = chain.id order by chain.position)`;

/** SQL: `withinBytes` over the folders of the CTE `candidate`. */
export const boundedFolders = (
  sizing: Sizing,
  {
    above,
    ...page
  }: Pick<BoundedRows, 'order' | 'limit'> & {
    /** SQL: bytes of the ancestor ids. */
    readonly above: RawBuilder<unknown>;
  },
) =>
  withinBytes(sizing, {
    ...page,
    from: 'candidate',
    content: 'metadata',
    type: 'jsonb',
    beside: sql`2 * octet_length(ext_id) + coalesce(octet_length(name), 0) + ${above}`,
  });

/** SQL: the columns of a `FolderRow` except `above`, and those of a `BoundedRow`. */
export const boundedColumns = sql`ext_id, name, access_type, case when fits then metadata end as metadata, created_at, updated_at,
  fits, candidates`;

export interface FolderPage {
  readonly folders: readonly FolderRow[];
  /** Cursor: id after which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

const FoundRow = FolderRow.extend(BoundedRow.shape);

const page = (
  tenant: Tenant,
  organization: ResolvedOrganization,
  { topOnly, after = '', limit }: FolderQuery,
  sizing: Sizing,
) => sql`
  with page as materialized (
    select f.* from folder f where f.api_key_id = ${tenant.id} and f.org_id = ${organization.id} and f.ext_id > ${after}
      ${topOnly ? sql`and f.parent_id is null` : sql``}
    order by f.ext_id limit ${limit.rows + 1}),
  chain as (
    select c.ancestors, ${idsAbove(sql`c.ancestors`)} as above from (select distinct ancestors from page) c),
  candidate as (
    select ${folderColumns}, chain.above from page f join chain on chain.ancestors = f.ancestors),
  ${boundedFolders(sizing, {
    order: sql`s.ext_id`,
    above: sql`coalesce(octet_length(array_to_string(above, '","')), 0)`,
    limit,
  })}
  select ${boundedColumns}, above from within order by nth`;

interface FolderQuery {
  readonly topOnly: boolean;
  readonly after: string | undefined;
  readonly limit: PageLimit;
}

/** Returns the page of folders after the id `after`, in byte order of ids. Looks up the ancestors of siblings once per page. */
export async function readFolders(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization,
  query: FolderQuery,
): Promise<FolderPage> {
  const { after, limit } = query;
  const found = await readByIndex(em, (reading) =>
    rowsWithin(reading, FoundRow, (sizing) => page(tenant, organization, query, sizing)),
  );
  const { fitting, cut } = withinLimit(found);
  const folders = fitting.slice(0, limit.rows);
  const more = cut || fitting.length > limit.rows;
  return { folders, next: more ? (folders.at(-1)?.ext_id ?? after) : undefined, cut };
}
