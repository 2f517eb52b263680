import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { maxBigint } from '../bigint-range.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import type { SentRecordingBody } from './recording.ts';

/** Conditions, combined with AND. `document` is a surrogate key. */
export interface RecordingFilter {
  readonly document?: string | undefined;
  readonly recordingIds?: readonly string[] | undefined;
}

export const RecordingRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  body: z.custom<SentRecordingBody>(),
  document_ext_id: z.string(),
});
export type RecordingRow = z.infer<typeof RecordingRow>;

/** A position in the order of the last update, then surrogate key. */
export interface RecordingPosition {
  readonly lastUpdated: string;
  readonly id: string;
}

export interface RecordingPage {
  readonly recordings: readonly RecordingRow[];
  /** Start of the next page; undefined at the end. */
  readonly next: RecordingPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

interface Paging {
  readonly after: RecordingPosition | undefined;
  readonly limit: PageLimit;
}

const FoundRow = RecordingRow.extend(BoundedRow.shape).extend({
  visible: z.boolean(),
  last: z.boolean(),
  // Null only where `visible` is false: the document is deleted.
  document_ext_id: z.string().nullable(),
});
type FoundRow = z.infer<typeof FoundRow>;

/** Reads recordings, most recently updated first. Omits those of deleted documents, so a page may be short. */
export async function readRecordings(
  em: EntityManager,
  organization: ResolvedOrganization,
  filter: RecordingFilter,
  paging: Paging,
): Promise<RecordingPage> {
  const { after, limit } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) => statement(organization, filter, paging, sizing));
  const { fitting, cut } = withinLimit(found);
  const visible = fitting.filter((row): row is FoundRow & RecordingRow => row.visible);
  const recordings = visible.slice(0, limit.rows);
  // The last row examined is returned even when it is not visible: it is the cursor of the next page.
  const boundary = cut || visible.length > limit.rows ? recordings.at(-1) : found.find(({ last }) => last);
  return { recordings, next: positionOf(boundary) ?? (cut ? after : undefined), cut };
}

const positionOf = (
  row: Pick<RecordingRow, 'id' | 'updated_at'> | undefined,
): RecordingPosition | undefined => row && { lastUpdated: row.updated_at, id: row.id };

const newest: RecordingPosition = { lastUpdated: maxBigint, id: maxBigint };

/**
 * SQL: the rows that the conditions match, as `r`, by the index that has all of them. Ids are looked up one by one: to
 * return few rows in order, PostgreSQL would otherwise scan the organization.
 */
function matching(
  { id: organization }: ResolvedOrganization,
  { document, recordingIds }: RecordingFilter,
): RawBuilder<unknown> {
  if (recordingIds === undefined) {
    const of =
      document === undefined ? sql`org_id = ${organization}` : sql`document_id = ${document}::bigint`;
    return sql`(select id, updated_at from recording where ${of}) r`;
  }
  const inDocument = document === undefined ? sql`` : sql`and document_id = ${document}::bigint`;
  return sql`unnest(${recordingIds}::text[]) as t (ext_id) cross join lateral (
    select id, updated_at from recording
    where org_id = ${organization} and ext_id = t.ext_id ${inDocument} offset 0) r`;
}

function statement(
  organization: ResolvedOrganization,
  filter: RecordingFilter,
  { after = newest, limit }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  return sql`
    with examined as (
      select r.id, r.updated_at, row_number() over (order by r.updated_at desc, r.id desc) as position
      from ${matching(organization, filter)} where (r.updated_at, r.id) < (${after.lastUpdated}::bigint, ${after.id}::bigint)
      order by r.updated_at desc, r.id desc limit ${limit.rows + 1}),
    judged as (
      select e.id, e.position, r.ext_id, r.created_at, e.updated_at, r.body, d.ext_id as document_ext_id,
        d.deleted_at is null and ${isVisible} as visible
      from examined e
        -- Lateral with offset 0 forces a lookup by key for each row, never a join of whole tables.
        cross join lateral (select * from recording where id = e.id offset 0) r
        cross join lateral (select * from document where id = r.document_id offset 0) d),
    page as (
      select id, position, ext_id, created_at, updated_at, case when visible then body end as body, document_ext_id, visible,
        position = ${limit.rows + 1} as last
      from judged where visible or position = ${limit.rows + 1}),
    ${withinBytes(sizing, {
      from: 'page',
      order: sql`s.position`,
      content: 'body',
      type: 'json',
      beside: sql`2 * (octet_length(ext_id) + coalesce(octet_length(document_ext_id), 0))`,
      limit,
    })}
    select id, ext_id, created_at, updated_at, case when fits then body end as body, document_ext_id, visible, last, fits,
      candidates
    from within order by nth`;
}
