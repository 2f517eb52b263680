import type { Metadata } from '../metadata.ts';
import { rowsOnly, withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { matchesFilters, type DocumentFilter } from './document-filters.ts';

export interface DocumentRow {
  readonly ext_id: string;
  readonly name: string;
  readonly disabled: boolean;
  readonly metadata: Metadata;
  /** Its own; null when inherited. */
  readonly access_type: number | null;
  /** Of the nearest folder that has one; null when none has. */
  readonly folder_access_type: number | null;
  /** Customer's id; null at the top. */
  readonly folder_ext_id: string | null;
}

/** `f` is the document's folder. Inherited access follows a moved folder at once: nothing of it is stored below. */
const view = `d.ext_id, d.name, d.disabled, d.metadata, d.access_type, f.ext_id as folder_ext_id,
  coalesce(f.access_type, (
    select a.access_type from unnest(f.ancestors) with ordinality as above (id, place) join folder a on a.id = above.id
    where a.access_type is not null order by above.place desc limit 1)) as folder_access_type`;

/** Lateral and offset 0: each folder by its key, never all folders for the sake of a page. */
const source = 'left join lateral (select * from folder where id = d.folder_id offset 0) f on true';
/** True at the top as well: the outer join then has no folder. */
const visible = 'f.deleted_at is null';

export interface DocumentQuery {
  /** A folder's surrogate key, `root` for documents outside folders, or undefined for everywhere. */
  readonly folder: string | undefined;
  readonly filters: readonly DocumentFilter[];
}

const anywhere: DocumentQuery = { folder: undefined, filters: [] };

const bounded = (sizing: Sizing, order: string, bytes: string, aloneBytes: string): string =>
  withinBytes(sizing, {
    from: 'candidate',
    order,
    content: 'metadata',
    type: 'jsonb',
    beside:
      '2 * (octet_length(ext_id) + coalesce(octet_length(folder_ext_id), 0)) + coalesce(octet_length(name), 0)',
    bytes,
    aloneBytes,
  });

const shown = `ext_id, name, disabled, case when fits then metadata end as metadata, access_type, folder_ext_id, folder_access_type,
  fits, candidates`;

const byId = (sizing: Sizing): string => `
  with candidate as (
    select ${view}, array_position($2::text[], d.ext_id) as place from document d ${source}
    where d.org_id = $1 and d.ext_id = any($2) and ${visible}
      and ($3::text is null or coalesce(d.folder_id::text, 'root') = $3) and ${matchesFilters('d.metadata', '$4')}),
  ${bounded(sizing, 's.place', '$5::bigint', '$6::bigint')}
  select ${shown} from within order by nth`;

/** Those of the ids that exist and meet the query, in the order in which they were asked for. */
export async function readDocumentsById(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
  { folder, filters }: DocumentQuery = anywhere,
  { bytes, aloneBytes }: PageLimit = rowsOnly(documentIds.length),
): Promise<DocumentPage> {
  const found = await rowsWithin<DocumentRow & BoundedRow>(em, byId, [
    organization.id,
    documentIds,
    folder ?? null,
    JSON.stringify(filters),
    bytes,
    aloneBytes,
  ]);
  const { fitting: documents, cut } = withinLimit(found);
  return { documents, next: cut ? documents.at(-1)?.ext_id : undefined, cut };
}

/** Most documents that one page with filters looks at: such a page may be short, or empty, with more behind it. */
const mostExamined = 20_000;

export interface DocumentPage {
  readonly documents: DocumentRow[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: string | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** In byte order of the ids, behind `after`. */
export async function readDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  query: DocumentQuery,
  { after, limit }: { readonly after: string | undefined; readonly limit: PageLimit },
): Promise<DocumentPage> {
  const examined = query.filters.length > 0 ? mostExamined : limit.rows + 1;
  const found = await rowsWithin<FoundRow>(em, (sizing) => pageStatement(query, sizing), [
    organization.id,
    after ?? '',
    examined,
    limit.rows + 1,
    JSON.stringify(query.filters),
    limit.bytes,
    limit.aloneBytes,
    ...(query.folder === undefined || query.folder === 'root' ? [] : [query.folder]),
  ]);
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const documents = matching.slice(0, limit.rows);
  if (cut) return { documents, next: documents.at(-1)?.ext_id ?? after, cut };
  if (matching.length > limit.rows) return { documents, next: documents.at(-1)?.ext_id, cut };
  // The last row examined is answered even when it does not match: it says where to go on.
  const boundary = found.find(({ last }) => last);
  return { documents, next: boundary?.ext_id, cut };
}

type FoundRow = DocumentRow & BoundedRow & { readonly matches: boolean; readonly last: boolean };

function pageStatement({ folder }: DocumentQuery, sizing: Sizing): string {
  const inFolder =
    folder === undefined ? '' : folder === 'root' ? 'and d.folder_id is null' : 'and d.folder_id = $8';
  return `
    with examined as (
      select d.*, row_number() over (order by d.ext_id) as place from document d
      where d.org_id = $1 and d.ext_id > $2 ${inFolder} order by d.ext_id limit $3),
    judged as (
      select d.*, ${matchesFilters('d.metadata', '$5')} as matches, d.place = $3 as last from examined d),
    candidate as (
      select ${view}, d.matches and ${visible} as matches, d.last from judged d ${source}
      where (d.matches and ${visible}) or d.last order by d.ext_id limit $4),
    ${bounded(sizing, 's.ext_id', '$6::bigint', '$7::bigint')}
    select ${shown}, matches, last from within order by nth`;
}
