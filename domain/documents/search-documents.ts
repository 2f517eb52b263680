import { sql } from 'kysely';
import { z } from 'zod';
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
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { DocumentRow, folderOfDocument, shownDocument } from './read-documents.ts';
import { isVisible } from './resolve-document.ts';

const FoundDocument = DocumentRow.extend({ organization_ext_id: z.string().nullable() });
export type FoundDocument = z.infer<typeof FoundDocument>;
const Row = FoundDocument.extend(SearchRow.shape);

/** A deleted organization disappears at once, before its documents are removed. */
const isPresent = sql`(select g.ext_id from organization g where g.id = d.org_id) is not null and ${isVisible}`;

/**
 * Finds documents of one organization, or of all. Returns first those whose id begins with the prefix, in id order,
 * then those whose name does, in name order.
 */
export async function searchDocuments(
  em: EntityManager,
  tenant: Tenant,
  {
    prefix,
    organization,
  }: { readonly prefix: string; readonly organization: ResolvedOrganization | undefined },
  range: SearchRange,
): Promise<SearchPage<FoundDocument>> {
  const ofKey = sql`d.api_key_id = ${tenant.id} and d.ext_id is not null`;
  const ofOrganization = organization && sql`d.org_id = ${organization.id}`;
  const common = { table: sql`document d`, id: sql`d.id` };
  const sources: readonly SearchSource[] = [
    { ...common, ...bytewise(sql`d.ext_id`, prefix), scope: ofOrganization ?? ofKey, matches: isPresent },
    {
      ...common,
      ...named('d.name', prefix),
      scope: ofKey,
      matches: sql`${ofOrganization ?? sql`true`} and not starts_with(d.ext_id, ${prefix}) and ${isPresent}`,
    },
  ];
  return searchByPrefix(em, Row, sources, record, range);
}

const record: SearchedRecord = {
  columns: [
    'ext_id',
    'name',
    'disabled',
    'access_type',
    'folder_ext_id',
    'folder_access_type',
    'organization_ext_id',
  ],
  selected: sql`${shownDocument}, g.ext_id as organization_ext_id`,
  joined: sql`found join document d on d.id = found.id ${folderOfDocument} join organization g on g.id = d.org_id`,
  content: 'metadata',
  beside: sql`2 * (octet_length(ext_id) + coalesce(octet_length(folder_ext_id), 0)) + octet_length(name)
    + coalesce(octet_length(organization_ext_id), 0)`,
};
