import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { startOf } from '../bigint-range.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { executionOf, ExecutionRow, executionStatusNumbers, type Execution } from './execution.ts';
import type { ExecutionStatus } from './execution.ts';
import {
  examinedExecutions,
  examinedOfDocuments,
  type ExecutionOrder,
  type IndexRange,
} from './examined-executions.ts';
import { executionColumns, executionLocation, visibleExecution } from './visible-execution.ts';

/** Conditions, combined with AND; the customer's ids. */
export interface ExecutionFilter {
  readonly agentId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
}

/** A position in the order of `startedAt`, then surrogate key. */
export interface ExecutionPosition {
  readonly startedAt: string;
  readonly id: string;
}

/** A page of executions, in the requested order. */
export interface ExecutionPage {
  readonly executions: readonly Execution[];
  /** The next page starts after it; undefined at the end. */
  readonly next: ExecutionPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

interface Paging {
  readonly after: ExecutionPosition | undefined;
  readonly limit: PageLimit;
  readonly order: ExecutionOrder;
}

/** Reads by start time. A missing organization or document has no executions; it is not refused. */
export async function readExecutions(
  em: EntityManager,
  tenant: Tenant,
  filter: ExecutionFilter,
  paging: Paging,
): Promise<ExecutionPage> {
  const location = await findLocation(em, tenant, filter);
  if (location === undefined) return { executions: [], next: undefined, cut: false };
  const { after, limit } = paging;
  const found = await rowsWithin(em, FoundRow, (sizing) =>
    statement(tenant, filter, location, paging, sizing),
  );
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const page = matching.slice(0, limit.rows);
  // The last row examined is returned even without a match: it is the cursor of the next page.
  const boundary = cut || matching.length > limit.rows ? page.at(-1) : found.find(({ last }) => last);
  const next = boundary && { startedAt: boundary.started_at, id: boundary.id };
  return { executions: page.map(executionOf), next: next ?? (cut ? after : undefined), cut };
}

const FoundRow = ExecutionRow.extend(BoundedRow.shape).extend({ matches: z.boolean(), last: z.boolean() });

function firstPosition(order: ExecutionOrder): ExecutionPosition {
  const { ts: startedAt, id } = startOf(order);
  return { startedAt, id };
}

interface ListLocation {
  readonly organization: string | null;
  readonly document: string | null;
}

/** Surrogate keys of the given organization and document; undefined when one is missing. */
async function findLocation(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId }: ExecutionFilter,
): Promise<ListLocation | undefined> {
  if (organizationId === undefined) return { organization: null, document: null };
  const found = await tablesOf(em)
    .selectFrom('organization as o')
    .leftJoin('document as d', (join) =>
      join.onRef('d.org_id', '=', 'o.id').on('d.ext_id', '=', documentId ?? null),
    )
    .select(['o.id as organization', 'd.id as document'])
    .where('o.api_key_id', '=', tenant.id)
    .where('o.ext_id', '=', organizationId)
    .executeTakeFirst();
  if (found === undefined || (documentId !== undefined && found.document === null)) return undefined;
  return found;
}

/** The index range to read: document, organization, agent, status or API key. */
function indexRangeOf(
  tenant: Tenant,
  filter: ExecutionFilter,
  { organization, document }: ListLocation,
): IndexRange {
  const { agentId, documentId, organizationId, status } = filter;
  if (documentId !== undefined) return { condition: sql`e.document_id = ${document}::bigint`, own: false };
  if (organizationId !== undefined) return { condition: sql`e.org_id = ${organization}::bigint`, own: false };
  const ofKey = sql`e.api_key_id = ${tenant.id}`;
  if (agentId !== undefined) return { condition: sql`${ofKey} and e.agent_id = ${agentId}::text`, own: true };
  if (status !== undefined)
    return { condition: sql`${ofKey} and e.status = ${executionStatusNumbers[status]}::smallint`, own: true };
  return { condition: ofKey, own: false };
}

/** SQL: a page. Applies the filters before it looks up locations. */
function statement(
  tenant: Tenant,
  filter: ExecutionFilter,
  location: ListLocation,
  { after, limit, order }: Paging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const { agentId = null, documentId, organizationId } = filter;
  const status = filter.status === undefined ? null : executionStatusNumbers[filter.status];
  const indexRange = indexRangeOf(tenant, filter, location);
  const residual = [agentId, status].filter((sent) => sent !== null).length - (indexRange.own ? 1 : 0) > 0;
  const rangeStart = {
    start: after ?? firstPosition(order),
    order,
    examined: residual ? maxExamined : limit.rows + 1,
  };
  const several = documentId !== undefined && organizationId === undefined;
  const examined = several
    ? examinedOfDocuments(tenant.id, documentId, rangeStart)
    : examinedExecutions(indexRange, rangeStart);
  const more = several
    ? sql``
    : sql`and (${location.document}::bigint is null or e.document_id = ${location.document})`;
  const inOrder = sql`started_at ${sql.raw(order)}, id ${sql.raw(order)}`;
  return sql`
    with ${examined},
    fitting as (
      select e.*, (${agentId}::text is null or e.agent_id = ${agentId}) and (${status}::smallint is null or e.status = ${status})
        and (${location.organization}::bigint is null or e.org_id = ${location.organization}) ${more}
        and e.api_key_id = ${tenant.id} as fits from examined e),
    judged as (
      select ${executionColumns}, e.last, e.fits and ${visibleExecution} as matches
      from (select * from fitting where fits or last) e ${executionLocation}),
    page as (select * from judged where matches or last order by ${inOrder} limit ${limit.rows + 1}),
    ${withinBytes(sizing, {
      from: 'page',
      order: sql`s.started_at ${sql.raw(order)}, s.id ${sql.raw(order)}`,
      content: 'body',
      type: 'json',
      beside: sql`2 * (octet_length(ext_id) + octet_length(agent_id))`,
      limit,
    })}
    select id, ext_id, agent_id, status, started_at, completed_at, case when fits then body end as body, organization_ext_id,
      document_ext_id, last, matches, fits, candidates
    from within order by nth`;
}
