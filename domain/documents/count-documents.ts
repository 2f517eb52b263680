import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { matchesFilters, type DocumentFilter } from './document-filters.ts';

export interface DocumentCountQuery {
  /** A folder's surrogate key, `root` for documents outside folders, or undefined for everywhere. */
  readonly folder: string | undefined;
  readonly filters: readonly DocumentFilter[];
}

/** Exact; takes as long as a statement may. Folders that are deleted are few, and their documents are passed over. */
export async function countDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  { folder, filters }: DocumentCountQuery,
): Promise<number> {
  const inFolder =
    folder === undefined
      ? `and (d.folder_id is null or d.folder_id not in (select id from folder where org_id = $1 and ext_id is null))`
      : folder === 'root'
        ? 'and d.folder_id is null'
        : 'and d.folder_id = $2';
  const parameters: unknown[] = [organization.id];
  if (folder !== undefined && folder !== 'root') parameters.push(folder);
  if (filters.length > 0) parameters.push(JSON.stringify(filters));
  const filtered =
    filters.length === 0 ? '' : `and ${matchesFilters('d.metadata', `$${String(parameters.length)}`)}`;
  const found = await row<{ count: number }>(
    em,
    `select count(*)::integer as count from document d where d.org_id = $1 and d.ext_id is not null ${inFolder} ${filtered}`,
    parameters,
  );
  return found?.count ?? 0;
}
