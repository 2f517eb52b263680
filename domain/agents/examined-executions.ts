import { sql, type RawBuilder } from 'kysely';
import { isVisible } from '../documents/resolve-document.ts';
import { maxExamined } from '../page-limit.ts';

export type ExecutionOrder = 'asc' | 'desc';

/** The rows of one index range. `own`: the range is the filter on agent or on status itself. */
export interface IndexRange {
  readonly condition: RawBuilder<unknown>;
  readonly own: boolean;
}

/** Start and order of a range, and the number of executions to examine. */
export interface RangeStart {
  readonly start: { readonly startedAt: string; readonly id: string };
  readonly order: ExecutionOrder;
  readonly examined: number;
}

/** All columns but `results`, read in the same pass: a second lookup would double the cost. */
const columns = sql`e.id, e.api_key_id, e.org_id, e.document_id, e.ext_id, e.agent_id, e.status, e.started_at, e.completed_at, e.body`;

const beyond = (order: ExecutionOrder) => sql.raw(order === 'asc' ? '>' : '<');

/** The executions `e` after the start, in order. */
const behind = ({ start, order }: RangeStart) =>
  sql`(e.started_at, e.id) ${beyond(order)} (${start.startedAt}::bigint, ${start.id}::bigint)
    order by e.started_at ${sql.raw(order)}, e.id ${sql.raw(order)}`;

/**
 * SQL: `examined`, the next executions after the start, in the order of one index. `last` is true for the row at the
 * limit, which others may follow.
 */
export function examinedExecutions({ condition }: IndexRange, rangeStart: RangeStart): RawBuilder<unknown> {
  const way = sql.raw(rangeStart.order);
  return sql`examined as (
    select ${columns}, row_number() over (order by e.started_at ${way}, e.id ${way}) = ${rangeStart.examined} as last
    from agent_execution e where ${condition} and ${behind(rangeStart)} limit ${rangeStart.examined})`;
}

/** Max documents with one id that a page reads: those whose next execution is first in the order. */
const maxDocuments = 501;

/**
 * `examinedExecutions` over all documents with one id, in any organization. Each document contributes its next rows.
 * The result ends at the first position where a document may have more.
 */
export function examinedOfDocuments(
  tenantId: string,
  documentId: string,
  rangeStart: RangeStart,
): RawBuilder<unknown> {
  const way = sql.raw(rangeStart.order);
  const maxHeads = sql.lit(maxDocuments);
  return sql`heads as materialized (
      select d.id as document_id, h.started_at, h.id,
        row_number() over (order by h.started_at ${way}, h.id ${way}) as position
      from document d cross join lateral (
        select e.started_at, e.id from agent_execution e
        where e.document_id = d.id and ${behind(rangeStart)} limit 1) as h
      where d.api_key_id = ${tenantId} and d.ext_id = ${documentId}::text and ${isVisible}),
    per_document as (
      select least(${rangeStart.examined}::bigint,
        greatest(1, ${sql.lit(maxExamined)} / greatest(1, least(count(*), ${maxHeads})))) as max_rows from heads),
    candidates as materialized (
      select n.*, row_number() over (partition by h.document_id order by n.started_at ${way}, n.id ${way}) as position
      from heads h cross join lateral (
        select ${columns} from agent_execution e
        where e.document_id = h.document_id and ${behind(rangeStart)} limit (select max_rows from per_document)) as n
      where h.position <= ${maxHeads}),
    ends as (
      select started_at, id from candidates where position = (select max_rows from per_document)
      union all
      select started_at, id from heads where position = ${maxHeads} and (select count(*) from heads) > ${maxHeads}),
    boundary as (select started_at, id from ends order by started_at ${way}, id ${way} limit 1),
    examined as (
      select w.*, w.id = b.id is true as last from candidates w left join boundary b on true
      where b.id is null or (w.started_at, w.id) = (b.started_at, b.id)
        or (b.started_at, b.id) ${beyond(rangeStart.order)} (w.started_at, w.id))`;
}
