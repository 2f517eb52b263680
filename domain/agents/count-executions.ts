import type { Tenant } from '../tenancy/tenant.ts';
import { rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { executionStatusNumber, type ExecutionStatus } from './execution.ts';
import { executionPlace, visibleExecution } from './visible-execution.ts';

/** Exact counts by agent, without those of which there is none; takes as long as a statement may. */
export async function countByAgent(
  em: EntityManager,
  tenant: Tenant,
  {
    agentIds,
    status,
  }: { readonly agentIds: readonly string[]; readonly status: ExecutionStatus | undefined },
): Promise<ReadonlyMap<string, number>> {
  const found = await rows<{ agent_id: string; count: number }>(
    em,
    `${counted(`and e.agent_id = any($2) ${status === undefined ? '' : 'and e.status = $3'}`)}
     select e.agent_id, sum(e.count)::int as count from visible e group by e.agent_id`,
    [tenant.id, agentIds, ...(status === undefined ? [] : [executionStatusNumber(status)])],
  );
  return new Map(found.map(({ agent_id, count }) => [agent_id, count]));
}

/** Of all agents together. */
export async function countAll(
  em: EntityManager,
  tenant: Tenant,
  status: ExecutionStatus | undefined,
): Promise<number> {
  const [found] = await rows<{ count: number }>(
    em,
    `${counted(status === undefined ? '' : 'and e.status = $2')} select coalesce(sum(e.count), 0)::int as count from visible e`,
    [tenant.id, ...(status === undefined ? [] : [executionStatusNumber(status)])],
  );
  return found?.count ?? 0;
}

/** SQL: counted by agent and place, so that whether a place is still there is asked once and not for every execution. */
const counted = (condition: string): string => `
  with counted as (
    select e.agent_id, e.org_id, e.document_id, count(*) as count from agent_execution e
    where e.api_key_id = $1 ${condition} group by e.agent_id, e.org_id, e.document_id),
  visible as (select e.* from counted e ${executionPlace} where ${visibleExecution})`;
