import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import { meetsFilters, type DocumentFilter } from './document-filters.ts';

export interface DocumentCountQuery {
  /** A folder's surrogate key; `root` for documents outside folders; undefined for all documents. */
  readonly folder: string | undefined;
  readonly filters: readonly DocumentFilter[];
}

/** Counts exactly, within the statement timeout. Excludes documents in deleted folders. */
export async function countDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  { folder, filters }: DocumentCountQuery,
): Promise<number> {
  const inFolder =
    folder === undefined
      ? sql<boolean>`(d.folder_id is null or d.folder_id not in (
          select id from folder where org_id = ${organization.id} and ext_id is null))`
      : folder === 'root'
        ? sql<boolean>`d.folder_id is null`
        : sql<boolean>`d.folder_id = ${folder}`;
  let documents = tablesOf(em)
    .selectFrom('document as d')
    .where('d.org_id', '=', organization.id)
    .where('d.ext_id', 'is not', null)
    .where(inFolder);
  if (filters.length > 0) documents = documents.where(meetsFilters(filters));
  const { count } = await documents
    .select(sql<number>`count(*)::integer`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
