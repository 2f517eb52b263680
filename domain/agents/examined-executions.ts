import { visibleDocument } from '../documents/resolve-document.ts';

export type Order = 'asc' | 'desc';

/** What tells the rows of a walk; `own` when that is itself one of the conditions on agent or status. */
export interface Walked {
  readonly condition: string;
  readonly own: boolean;
}

/** Everything but the results, read on the way: looking rows up a second time would cost as much again. */
const columns = `e.id, e.api_key_id, e.org_id, e.document_id, e.ext_id, e.agent_id, e.status, e.started_at, e.completed_at, e.body`;

const beyond = (order: Order): string => (order === 'asc' ? '>' : '<');

/**
 * SQL: the next `$4` executions behind `($2, $3)` as `examined`, along one index and in its order. `last` marks a row
 * behind which there may be more.
 */
export function examinedExecutions({ condition }: Walked, order: Order): string {
  return `examined as (
    select ${columns}, row_number() over (order by e.started_at ${order}, e.id ${order}) = $4 as last from agent_execution e
    where ${condition} and (e.started_at, e.id) ${beyond(order)} ($2::bigint, $3::bigint)
    order by e.started_at ${order}, e.id ${order} limit $4)`;
}

/** Most documents of one id that a page reads from: those whose next execution comes first. */
const mostDocuments = 501;
const mostExamined = 20_000;

/**
 * SQL: the same for documents of the id `$9` in whatever organization. Each gives its next few rows; together they are
 * whole up to the first place where one of them may have more, and no further: there the walk ends.
 */
export function examinedOfDocuments(order: Order): string {
  const inOrder = `started_at ${order}, id ${order}`;
  const behind = (position: string): string =>
    `(e.started_at, e.id) ${beyond(order)} ${position} order by e.started_at ${order}, e.id ${order}`;
  return `heads as materialized (
      select d.id as document_id, h.started_at, h.id,
        row_number() over (order by h.started_at ${order}, h.id ${order}) as place
      from document d cross join lateral (
        select e.started_at, e.id from agent_execution e
        where e.document_id = d.id and ${behind('($2::bigint, $3::bigint)')} limit 1) as h
      where d.api_key_id = $1 and d.ext_id = $9::text and ${visibleDocument}),
    each_gives as (
      select least($4::bigint, greatest(1, ${String(mostExamined)} / greatest(1, least(count(*), ${String(mostDocuments)})))) as most from heads),
    walked as materialized (
      select n.*, row_number() over (partition by h.document_id order by n.started_at ${order}, n.id ${order}) as place
      from heads h cross join lateral (
        select ${columns} from agent_execution e
        where e.document_id = h.document_id and ${behind('($2::bigint, $3::bigint)')} limit (select most from each_gives)) as n
      where h.place <= ${String(mostDocuments)}),
    ends as (
      select started_at, id from walked where place = (select most from each_gives)
      union all
      select started_at, id from heads
      where place = ${String(mostDocuments)} and (select count(*) from heads) > ${String(mostDocuments)}),
    boundary as (select started_at, id from ends order by ${inOrder} limit 1),
    examined as (
      select w.*, w.id = b.id is true as last from walked w left join boundary b on true
      where b.id is null or (w.started_at, w.id) = (b.started_at, b.id)
        or (b.started_at, b.id) ${beyond(order)} (w.started_at, w.id))`;
}
