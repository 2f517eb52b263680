import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsWithin, type Sizing } from '../../platform/database/within-bytes.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { isResidual } from './annotation-filter.ts';
import {
  pageOf,
  RankedRow,
  threadsOf,
  type Paging,
  type ThreadPage,
  type ThreadPosition,
  type ThreadRow,
} from './thread-page.ts';
import { coverage, indexOf, rangeOf, type ThreadQuery } from './thread-range.ts';

/** Reads threads by their last update, then order of writing. Threads of deleted documents are omitted. */
export async function readThreads(
  em: EntityManager,
  organization: ResolvedOrganization,
  query: ThreadQuery,
  paging: Paging,
): Promise<ThreadPage> {
  const { after } = paging;
  const found = await rowsWithin(em, RankedRow, (sizing) => statement(organization, query, paging, sizing));
  const { threads, cut, end } = pageOf(found, paging);
  const next = positionOf(end) ?? (cut ? after : undefined);
  return { threads, next, cut, examined: Number(end?.rank ?? 0) };
}

const positionOf = (row: Pick<ThreadRow, 'id' | 'updated_at'> | undefined): ThreadPosition | undefined =>
  row && { updatedAt: row.updated_at, id: row.id };

/**
 * SQL: reads the first threads of each key by index and merges them. The page ends at the last thread of a key that may
 * have more; later threads of other keys are on the next page.
 */
function statement(
  { id: organization }: ResolvedOrganization,
  query: ThreadQuery,
  { after, limit, examined: max }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { source, filter, order } = query;
  const { covered, keys: count } = coverage(source);
  const index = indexOf(source, organization);
  const { within, ordered: range } = rangeOf(index, query, after);
  const examined = isResidual(filter, covered) ? Math.max(1, Math.floor(max / count)) : limit.rows + 1;
  const [upTo, way] = order === 'asc' ? ['<=', 'asc'] : ['>=', 'desc'];
  const ordered = (row: string) => sql.raw(`${row}.updated_at ${way}, ${row}.id ${way}`);
  return sql`
    with examined as materialized (
      select x.* from ${index.keys} cross join lateral (
        select t.id, t.updated_at, row_number() over (order by ${range}) as nth from thread t
        where ${index.of} and ${within} order by ${range} limit ${examined}) x),
    boundary as materialized (
      select e.updated_at, e.id from examined e where e.nth = ${examined} order by ${ordered('e')} limit 1),
    considered as materialized (
      select e.id, e.updated_at, e.id = (select id from boundary) is true as last,
        row_number() over (order by ${ordered('e')}) as rank from examined e
      where not exists (select from boundary)
        or (e.updated_at, e.id) ${sql.raw(upTo)} ((select updated_at from boundary), (select id from boundary))
      order by ${ordered('e')}),
    ${threadsOf({ organization, filter, ordered, beside: sql`, rank` }, limit, sizing)}`;
}
