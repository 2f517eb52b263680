import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { accessOfFolder } from '../folders/access-of-folder.ts';
import type { Metadata } from '../metadata.ts';
import { BoundedRow, maxExamined, rowsOnly, withinLimit, type PageLimit } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { meetsFilters, type DocumentFilter } from './document-filters.ts';

export const DocumentRow = z.strictObject({
  ext_id: z.string(),
  name: z.string(),
  disabled: z.boolean(),
  metadata: z.custom<Metadata>(),
  /** The document's own; null when inherited. */
  access_type: z.number().nullable(),
  /** Access type of the nearest folder that has one; null when none has. */
  folder_access_type: z.number().nullable(),
  /** Customer's id; null at the top level. */
  folder_ext_id: z.string().nullable(),
});
export type DocumentRow = z.infer<typeof DocumentRow>;
const BoundedDocument = DocumentRow.extend(BoundedRow.shape);

/** `f` is the document's folder. Inherited access is computed, so it follows a moved folder at once. */
export const shownDocument = sql`d.ext_id, d.name, d.disabled, d.metadata, d.access_type, f.ext_id as folder_ext_id,
  ${accessOfFolder} as folder_access_type`;

/** `lateral` and `offset 0` force one index probe per document: a plan never reads all folders for one page. */
export const folderOfDocument = sql`left join lateral (select * from folder where id = d.folder_id offset 0) f on true`;
/** Also true at the top level, where the outer join finds no folder. */
const visible = sql`f.deleted_at is null`;

export interface DocumentQuery {
  /** A folder's surrogate key, `root` for documents outside folders, or undefined for all documents. */
  readonly folder: string | undefined;
  readonly filters: readonly DocumentFilter[];
}

const anywhere: DocumentQuery = { folder: undefined, filters: [] };

const bounded = (sizing: Sizing, order: RawBuilder<unknown>, limit: Omit<PageLimit, 'rows'>) =>
  withinBytes(sizing, {
    from: 'candidate',
    order,
    content: 'metadata',
    type: 'jsonb',
    beside: sql`2 * (octet_length(ext_id) + coalesce(octet_length(folder_ext_id), 0)) + coalesce(octet_length(name), 0)`,
    limit,
  });

const shown = sql`ext_id, name, disabled, case when fits then metadata end as metadata, access_type, folder_ext_id, folder_access_type,
  fits, candidates`;

/** Returns the documents that exist and meet the query, in the order of `documentIds`. */
export async function readDocumentsById(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
  { folder, filters }: DocumentQuery = anywhere,
  limit: PageLimit = rowsOnly(documentIds.length),
): Promise<DocumentPage> {
  const within = folder ?? null;
  const found = await rowsWithin(
    em,
    BoundedDocument,
    (sizing) => sql`
      with candidate as (
        select ${shownDocument}, array_position(${documentIds}::text[], d.ext_id) as position from document d ${folderOfDocument}
        where d.org_id = ${organization.id} and d.ext_id = any(${documentIds}) and ${visible}
          and (${within}::text is null or coalesce(d.folder_id::text, 'root') = ${within})
          and ${meetsFilters(filters)}),
      ${bounded(sizing, sql`s.position`, limit)}
      select ${shown} from within order by nth`,
  );
  const { fitting: documents, cut } = withinLimit(found);
  return { documents, next: cut ? documents.at(-1)?.ext_id : undefined, cut };
}

/** Max stored bytes of metadata that a page with filters reads, before its last document: decompressing them takes time. */
const maxExaminedBytes = 67_108_864;

export interface DocumentPage {
  readonly documents: DocumentRow[];
  /** Cursor: id after which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** The byte limit ended the page. */
  readonly cut: boolean;
}

/** Returns the page of documents after the id `after`, in byte order of ids. */
export async function readDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  query: DocumentQuery,
  { after, limit }: { readonly after: string | undefined; readonly limit: PageLimit },
): Promise<DocumentPage> {
  const found = await rowsWithin(em, FoundRow, (sizing) =>
    pageStatement(organization, query, { after: after ?? '', limit }, sizing),
  );
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const documents = matching.slice(0, limit.rows);
  if (cut) return { documents, next: documents.at(-1)?.ext_id ?? after, cut };
  if (matching.length > limit.rows) return { documents, next: documents.at(-1)?.ext_id, cut };
  // The statement returns the last row examined even without a match: it is the cursor of the next page.
  const boundary = found.find(({ last }) => last);
  return { documents, next: boundary?.ext_id, cut };
}

const FoundRow = BoundedDocument.extend({ matches: z.boolean(), last: z.boolean() });

function pageStatement(
  organization: ResolvedOrganization,
  { folder, filters }: DocumentQuery,
  { after, limit }: { readonly after: string; readonly limit: PageLimit },
  sizing: Sizing,
): RawBuilder<unknown> {
  const isFiltered = filters.length > 0;
  const examined = isFiltered ? maxExamined : limit.rows + 1;
  const bytesBefore = sql`coalesce(sum(pg_column_size(d.metadata))
    over (order by d.ext_id rows between unbounded preceding and 1 preceding), 0)`;
  const maxBytes = sql.lit(maxExaminedBytes);
  const inFolder =
    folder === undefined
      ? sql``
      : folder === 'root'
        ? sql`and d.folder_id is null`
        : sql`and d.folder_id = ${folder}`;
  return sql`
    with examined as (
      select d.*, row_number() over (order by d.ext_id) as position, ${isFiltered ? bytesBefore : sql`0`} as bytes_before
      from document d
      where d.org_id = ${organization.id} and d.ext_id > ${after} ${inFolder} order by d.ext_id limit ${examined}),
    judged as (
      select d.*, ${meetsFilters(filters)} as matches,
        d.position = ${examined} or d.bytes_before + pg_column_size(d.metadata) >= ${maxBytes} as last
      from examined d where d.bytes_before < ${maxBytes}),
    candidate as (
      select ${shownDocument}, d.matches and ${visible} as matches, d.last from judged d ${folderOfDocument}
      where (d.matches and ${visible}) or d.last order by d.ext_id limit ${limit.rows + 1}),
    ${bounded(sizing, sql`s.ext_id`, limit)}
    select ${shown}, matches, last from within order by nth`;
}
