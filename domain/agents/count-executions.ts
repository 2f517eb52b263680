import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { executionStatusNumbers, type ExecutionStatus } from './execution.ts';
import { executionLocation, visibleExecution } from './visible-execution.ts';

/** Returns exact counts by agent, omitting zeros. Bounded by the statement timeout. */
export async function countByAgent(
  em: EntityManager,
  tenant: Tenant,
  {
    agentIds,
    status,
  }: { readonly agentIds: readonly string[]; readonly status: ExecutionStatus | undefined },
): Promise<ReadonlyMap<string, number>> {
  const found = await rowsOf(
    em,
    CountRow.extend({ agent_id: z.string() }),
    sql`${counted(tenant, status, sql`and e.agent_id = any(${agentIds})`)}
      select e.agent_id, sum(e.count)::int as count from visible e group by e.agent_id`,
  );
  return new Map(found.map(({ agent_id, count }) => [agent_id, count]));
}

/** Returns the exact count over all agents. */
export async function countAll(
  em: EntityManager,
  tenant: Tenant,
  status: ExecutionStatus | undefined,
): Promise<number> {
  const { count } = await onlyRowOf(
    em,
    CountRow,
    sql`${counted(tenant, status)} select coalesce(sum(e.count), 0)::int as count from visible e`,
  );
  return count;
}

const CountRow = z.strictObject({ count: z.number() });

/** Groups by agent and location, so that visibility is checked once per location instead of once per execution. */
function counted(tenant: Tenant, status: ExecutionStatus | undefined, ofAgents = sql``): RawBuilder<unknown> {
  const ofStatus = status === undefined ? sql`` : sql`and e.status = ${executionStatusNumbers[status]}`;
  return sql`with counted as (
      select e.agent_id, e.org_id, e.document_id, count(*) as count from agent_execution e
      where e.api_key_id = ${tenant.id} ${ofAgents} ${ofStatus} group by e.agent_id, e.org_id, e.document_id),
    visible as (select e.* from counted e ${executionLocation} where ${visibleExecution})`;
}
