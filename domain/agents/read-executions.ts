import { withinLimit, type BoundedRow, type PageLimit } from '../page-limit.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { executionOf, executionStatusNumber, type Execution, type ExecutionRow } from './execution.ts';
import type { ExecutionStatus } from './execution.ts';
import { examinedExecutions, examinedOfDocuments, type Order, type Walked } from './examined-executions.ts';
import { executionColumns, executionPlace, visibleExecution } from './visible-execution.ts';

/** Conditions, all of which hold; the customer's ids. */
export interface ExecutionFilter {
  readonly agentId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly status?: ExecutionStatus | undefined;
}

/** A place in the order of `startedAt`, then of the order of adding. */
export interface ExecutionPosition {
  readonly startedAt: string;
  readonly id: string;
}

export interface ExecutionPage {
  readonly executions: readonly Execution[];
  /** Behind which the next page starts; undefined at the end. */
  readonly next: ExecutionPosition | undefined;
  /** Bytes ended the page. */
  readonly cut: boolean;
}

/** Most rows that one page looks at: where filters are combined it may be short, with more behind it. */
const mostExamined = 20_000;

interface Paging {
  readonly after: ExecutionPosition | undefined;
  readonly limit: PageLimit;
  readonly order: Order;
}

/** By start. An organization or document that does not exist has no executions: that is no refusal. */
export async function readExecutions(
  em: EntityManager,
  tenant: Tenant,
  filter: ExecutionFilter,
  { after, limit, order }: Paging,
): Promise<ExecutionPage> {
  const place = await findPlace(em, tenant, filter);
  if (place === undefined) return { executions: [], next: undefined, cut: false };
  const start = after ?? startOf(order);
  const { agentId, documentId, organizationId, status } = filter;
  const several = documentId !== undefined && organizationId === undefined;
  const walked = walkedOf(filter);
  const residual = [agentId, status].filter((sent) => sent !== undefined).length - (walked.own ? 1 : 0) > 0;
  const found = await rowsWithin<FoundRow>(
    em,
    (sizing) =>
      several
        ? statement(examinedOfDocuments(order), '', order, sizing)
        : statement(
            examinedExecutions(walked, order),
            'and ($9::bigint is null or e.document_id = $9)',
            order,
            sizing,
          ),
    [
      tenant.id,
      start.startedAt,
      start.id,
      residual ? mostExamined : limit.rows + 1,
      limit.rows + 1,
      agentId ?? null,
      status === undefined ? null : executionStatusNumber(status),
      place.organization,
      several ? documentId : place.document,
      limit.bytes,
      limit.aloneBytes,
    ],
  );
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const page = matching.slice(0, limit.rows);
  // The last row examined is answered even when it does not match: it says where to go on.
  const boundary = cut || matching.length > limit.rows ? page.at(-1) : found.find(({ last }) => last);
  const next = boundary && { startedAt: boundary.started_at, id: boundary.id };
  return { executions: page.map(executionOf), next: next ?? (cut ? after : undefined), cut };
}

type FoundRow = ExecutionRow & BoundedRow & { readonly matches: boolean; readonly last: boolean };

const bounded = (order: Order, sizing: Sizing): string =>
  withinBytes(sizing, {
    from: 'page',
    order: `s.started_at ${order}, s.id ${order}`,
    content: 'body',
    type: 'json',
    beside: '2 * (octet_length(ext_id) + octet_length(agent_id))',
    bytes: '$10::bigint',
    aloneBytes: '$11::bigint',
  });

function startOf(order: Order): ExecutionPosition {
  return order === 'asc'
    ? { startedAt: '-1', id: '0' }
    : { startedAt: '9223372036854775807', id: '9223372036854775807' };
}

/** Surrogate keys of the organization, and of the document in it, that were named; undefined when one is not there. */
async function findPlace(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId }: ExecutionFilter,
): Promise<{ organization: string | null; document: string | null } | undefined> {
  if (organizationId === undefined) return { organization: null, document: null };
  const found = await row<{ organization: string; document: string | null }>(
    em,
    `select o.id as organization, d.id as document from organization o
     left join document d on d.org_id = o.id and d.ext_id = $3 where o.api_key_id = $1 and o.ext_id = $2`,
    [tenant.id, organizationId, documentId ?? null],
  );
  if (found === undefined || (documentId !== undefined && found.document === null)) return undefined;
  return found;
}

/** The index to walk: of the document, the organization, the agent, the status, or of the key. */
function walkedOf({ agentId, documentId, organizationId, status }: ExecutionFilter): Walked {
  if (documentId !== undefined) return { condition: 'e.document_id = $9::bigint', own: false };
  if (organizationId !== undefined) return { condition: 'e.org_id = $8::bigint', own: false };
  if (agentId !== undefined) return { condition: 'e.api_key_id = $1 and e.agent_id = $6::text', own: true };
  if (status !== undefined) return { condition: 'e.api_key_id = $1 and e.status = $7::smallint', own: true };
  return { condition: 'e.api_key_id = $1', own: false };
}

/** What is filtered out is filtered before its place is looked up. */
function statement(examined: string, more: string, order: Order, sizing: Sizing): string {
  return `
    with ${examined},
    fitting as (
      select e.*, ($6::text is null or e.agent_id = $6) and ($7::smallint is null or e.status = $7)
        and ($8::bigint is null or e.org_id = $8) ${more} and e.api_key_id = $1 as fits from examined e),
    judged as (
      select ${executionColumns}, e.last, e.fits and ${visibleExecution} as matches
      from (select * from fitting where fits or last) e ${executionPlace}),
    page as (select * from judged where matches or last order by started_at ${order}, id ${order} limit $5),
    ${bounded(order, sizing)}
    select id, ext_id, agent_id, status, started_at, completed_at, case when fits then body end as body, organization_ext_id,
      document_ext_id, last, matches, fits, candidates
    from within order by nth`;
}
