import { sql, type RawBuilder } from 'kysely';
import { isVisible } from '../documents/resolve-document.ts';

export type Order = 'asc' | 'desc';

/** What tells the rows of a walk; `own` when that is itself one of the conditions on agent or status. */
export interface Walked {
  readonly condition: RawBuilder<unknown>;
  readonly own: boolean;
}

/** Where a walk begins, in which order it goes, and how many executions it looks at. */
export interface WalkStart {
  readonly start: { readonly startedAt: string; readonly id: string };
  readonly order: Order;
  readonly examined: number;
}

/** Everything but the results, read on the way: looking rows up a second time would cost as much again. */
const columns = sql`e.id, e.api_key_id, e.org_id, e.document_id, e.ext_id, e.agent_id, e.status, e.started_at, e.completed_at, e.body`;

const beyond = (order: Order) => sql.raw(order === 'asc' ? '>' : '<');

/** The executions `e` behind the start, in order. */
const behind = ({ start, order }: WalkStart) =>
  sql`(e.started_at, e.id) ${beyond(order)} (${start.startedAt}::bigint, ${start.id}::bigint)
    order by e.started_at ${sql.raw(order)}, e.id ${sql.raw(order)}`;

/**
 * The next executions behind the start as `examined`, along one index and in its order. `last` marks a row behind which
 * there may be more.
 */
export function examinedExecutions({ condition }: Walked, walk: WalkStart): RawBuilder<unknown> {
  const way = sql.raw(walk.order);
  return sql`examined as (
    select ${columns}, row_number() over (order by e.started_at ${way}, e.id ${way}) = ${walk.examined} as last
    from agent_execution e where ${condition} and ${behind(walk)} limit ${walk.examined})`;
}

/** Most documents of one id that a page reads from: those whose next execution comes first. */
const maxDocuments = 501;
const maxExamined = 20_000;

/**
 * The same for documents of one id in whatever organization. Each gives its next few rows; together they are
 * whole up to the first place where one of them may have more, and no further: there the walk ends.
 */
export function examinedOfDocuments(
  tenantId: string,
  documentId: string,
  walk: WalkStart,
): RawBuilder<unknown> {
  const way = sql.raw(walk.order);
  const most = sql.lit(maxDocuments);
  return sql`heads as materialized (
      select d.id as document_id, h.started_at, h.id,
        row_number() over (order by h.started_at ${way}, h.id ${way}) as place
      from document d cross join lateral (
        select e.started_at, e.id from agent_execution e
        where e.document_id = d.id and ${behind(walk)} limit 1) as h
      where d.api_key_id = ${tenantId} and d.ext_id = ${documentId}::text and ${isVisible}),
    each_gives as (
      select least(${walk.examined}::bigint,
        greatest(1, ${sql.lit(maxExamined)} / greatest(1, least(count(*), ${most})))) as most from heads),
    walked as materialized (
      select n.*, row_number() over (partition by h.document_id order by n.started_at ${way}, n.id ${way}) as place
      from heads h cross join lateral (
        select ${columns} from agent_execution e
        where e.document_id = h.document_id and ${behind(walk)} limit (select most from each_gives)) as n
      where h.place <= ${most}),
    ends as (
      select started_at, id from walked where place = (select most from each_gives)
      union all
      select started_at, id from heads where place = ${most} and (select count(*) from heads) > ${most}),
    boundary as (select started_at, id from ends order by started_at ${way}, id ${way} limit 1),
    examined as (
      select w.*, w.id = b.id is true as last from walked w left join boundary b on true
      where b.id is null or (w.started_at, w.id) = (b.started_at, b.id)
        or (b.started_at, b.id) ${beyond(walk.order)} (w.started_at, w.id))`;
}
