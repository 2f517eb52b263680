import { sql } from 'kysely';
import { z } from 'zod';
import { rowsOf } from '../../../platform/database/statements.ts';
import { wholeDocument } from '../../comments/thread-view.entity.ts';
import { isVisible } from '../../documents/resolve-document.ts';
import { maxExamined } from '../../page-limit.ts';
import type { Section } from './section.ts';

/** The time up to which the person has read an annotation, or all annotations of a document. */
export interface CommentView {
  readonly documentId: string;
  /** Null for the whole document. */
  readonly annotationId: string | null;
  /** Milliseconds since the epoch. */
  readonly viewedAt: number;
}

/** Null columns: the document or the annotation is deleted, or the mark is on the whole document. */
const ViewRow = z.strictObject({
  document_id: z.string(),
  thread_id: z.string(),
  viewed_at: z.string(),
  matches: z.boolean(),
  last: z.boolean(),
  document_ext_id: z.string().nullable(),
  thread_ext_id: z.string().nullable(),
});
type ViewRow = z.infer<typeof ViewRow>;

/**
 * Read marks of the person, whose index has no organization. A page with marks in other organizations or on deleted
 * annotations is short.
 */
export const commentViews: Section<CommentView> = async (
  em,
  { tenant, organization, user },
  { after, limit },
) => {
  const [document = '0', thread = '0'] = after ?? [];
  const isLast = sql`n.nth = ${sql.lit(maxExamined)}`;
  const found = await rowsOf(
    em,
    ViewRow,
    sql`
      with next as materialized (
        select v.*, row_number() over (order by v.document_id, v.thread_id) as nth from (
          select document_id, thread_id, org_id, viewed_at from thread_view
          where user_id = ${user} and (document_id, thread_id) > (${document}::bigint, ${thread}::bigint)
            and api_key_id + 0 = ${tenant.id}
          order by document_id, thread_id limit ${sql.lit(maxExamined)}) v),
      chosen as (
        select n.*, n.org_id = ${organization} as matches, ${isLast} as last from next n
        where n.org_id = ${organization} or ${isLast} order by n.nth limit ${limit.rows + 1})
      select c.document_id, c.thread_id, c.viewed_at, c.matches, c.last, d.ext_id as document_ext_id, t.ext_id as thread_ext_id
      from chosen c
      left join lateral (
        select d.ext_id from document d where d.id = c.document_id and d.deleted_at is null and ${isVisible} offset 0) d on true
      left join lateral (select ext_id from thread where id = c.thread_id offset 0) t on true
      order by c.nth`,
  );
  const matching = found.filter(({ matches }) => matches);
  const page = matching.slice(0, limit.rows);
  // The last examined row is the position also when it is in another organization.
  const end = matching.length > limit.rows ? page.at(-1) : found.find(({ last }) => last);
  return { rows: page.flatMap(viewOf), next: end && [end.document_id, end.thread_id] };
};

const viewOf = ({ thread_id, viewed_at, document_ext_id, thread_ext_id }: ViewRow): CommentView[] =>
  document_ext_id === null || (thread_ext_id === null && thread_id !== wholeDocument)
    ? []
    : [{ documentId: document_ext_id, annotationId: thread_ext_id, viewedAt: Number(viewed_at) }];
