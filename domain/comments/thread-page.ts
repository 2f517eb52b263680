import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import { isVisible } from '../documents/resolve-document.ts';
import { BoundedRow, withinLimit, type PageLimit } from '../page-limit.ts';
import { matchesFilter, type AnnotationFilter } from './annotation-filter.ts';
import type { ThreadBody } from './thread.entity.ts';

export const ThreadRow = z.strictObject({
  id: z.string(),
  ext_id: z.string(),
  document_id: z.string(),
  location_id: z.string().nullable(),
  creator_id: z.string().nullable(),
  kind: z.number(),
  suggestion: z.number().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
  comment_count: z.number(),
  reaction_count: z.number(),
  body: z.custom<ThreadBody>(),
  document_ext_id: z.string(),
  folder_ext_id: z.string().nullable(),
});
export type ThreadRow = z.infer<typeof ThreadRow>;

/** A position in the order of the last update, then surrogate key. */
export interface ThreadPosition {
  readonly updatedAt: string;
  readonly id: string;
}

/** A page of threads. */
export interface ThreadPage {
  readonly threads: readonly ThreadRow[];
  /** The next page starts after it; undefined at the end. */
  readonly next: ThreadPosition | undefined;
  /** True when the byte limit ended the page, and when the first thread does not fit in `contents`. */
  readonly cut: boolean;
  /** Number of threads examined up to `next`. */
  readonly examined: number;
}

export interface Paging {
  readonly after: ThreadPosition | undefined;
  readonly limit: PageLimit;
  /** Comments and reactions left in the page; see `maxContents`. */
  readonly contents: number;
  /** Threads left to examine of the page's `maxExamined`, for a filter without an index. */
  readonly examined: number;
}

/** Max comments and reactions of a page. */
export const maxContents = 20_000;

const FoundRow = ThreadRow.extend(BoundedRow.shape).extend({
  matches: z.boolean(),
  last: z.boolean(),
  // Null only where `matches` is false.
  body: z.custom<ThreadBody>().nullable(),
  document_ext_id: z.string().nullable(),
});
type FoundRow = z.infer<typeof FoundRow>;

/** With the number of threads examined up to the row. */
export const RankedRow = FoundRow.extend({ rank: z.string() });

/** The threads of a page, and the last row that it examines; undefined when it starts at its end or nothing follows. */
export function pageOf<Row extends FoundRow>(
  found: readonly Row[],
  { limit, contents }: Pick<Paging, 'limit' | 'contents'>,
): { readonly threads: readonly (Row & ThreadRow)[]; readonly cut: boolean; readonly end: Row | undefined } {
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter((row): row is Row & ThreadRow => row.matches);
  const inLimit = matching.slice(0, limit.rows);
  const threads = withinContents(inLimit, contents);
  if (threads.length === 0 && inLimit.length > 0) return { threads, cut: true, end: undefined };
  if (threads.length < inLimit.length) return { threads, cut: false, end: threads.at(-1) };
  if (cut) return { threads, cut, end: threads.at(-1) };
  // The last row examined is returned even without a match: it is the cursor of the next page.
  const end = matching.length > limit.rows ? threads.at(-1) : found.find(({ last }) => last);
  return { threads, cut: false, end };
}

/** The first threads with at most `max` comments and reactions together. A whole page holds any thread. */
function withinContents<Row extends ThreadRow>(threads: readonly Row[], max: number): readonly Row[] {
  let contents = 0;
  const end = threads.findIndex(({ comment_count, reaction_count }) => {
    contents += comment_count + reaction_count;
    return contents > max;
  });
  return end === -1 ? threads : threads.slice(0, end);
}

/** Rows `considered`: `id`, `updated_at`, `last`, and further columns `beside`, each after a comma. */
interface Considered {
  readonly organization: string;
  readonly filter: AnnotationFilter;
  readonly ordered: (row: string) => RawBuilder<unknown>;
  readonly beside: RawBuilder<unknown>;
}

/** SQL: the end of a statement, which reads the page of the matching threads among those considered. */
export function threadsOf(
  { organization, filter, ordered, beside: further }: Considered,
  limit: PageLimit,
  sizing: Sizing,
): RawBuilder<unknown> {
  return sql`
    judged as (
      select e.id, e.last, t.ext_id, t.document_id, t.location_id, t.creator_id, t.kind, t.suggestion, t.created_at, e.updated_at,
        t.comment_count, t.reaction_count, t.content_bytes, t.body, d.ext_id as document_ext_id,
        (select f.ext_id from folder f where f.id = d.folder_id) as folder_ext_id,
        (t.org_id = ${organization} and d.deleted_at is null and ${isVisible} and ${matchesFilter(filter)}) is true as matches ${further}
      from considered e
        cross join lateral (select * from thread where id = e.id offset 0) t
        cross join lateral (select * from document where id = t.document_id offset 0) d),
    page as (
      select j.*, row_number() over (order by ${ordered('j')}) as position from judged j where j.matches or j.last
      order by ${ordered('j')} limit ${limit.rows + 1}),
    sized as (select id, last, ext_id, document_id, location_id, creator_id, kind, suggestion, created_at, updated_at, comment_count,
        reaction_count, content_bytes, case when matches then body end as body, document_ext_id, folder_ext_id, matches, position
        ${further}
      from page),
    ${withinBytes(sizing, {
      from: 'sized',
      order: sql`s.position`,
      content: 'body',
      type: 'json',
      beside,
      limit,
    })}
    select ${shown}, matches, last ${further} from within order by nth`;
}

/** SQL: bytes of a thread in addition to its body: comments, reactions, and the members that a response adds to each. */
export const beside = sql`2 * octet_length(ext_id) + 1024 + content_bytes + 512 * comment_count + 256 * reaction_count`;

/** SQL: the columns of a thread in a page. */
export const shown = sql`id, ext_id, document_id, location_id, creator_id, kind, suggestion, created_at, updated_at, comment_count,
  reaction_count, case when fits then body end as body, document_ext_id, folder_ext_id, fits, candidates`;
