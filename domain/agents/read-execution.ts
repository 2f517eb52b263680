import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { detailedExecutionOf, type DetailedExecution, type ExecutionRow } from './execution.ts';
import { executionColumns, executionPlace, visibleExecution } from './visible-execution.ts';

/** `results` is there when it was asked for; null when there are none. */
export async function readExecution(
  em: EntityManager,
  tenant: Tenant,
  executionId: string,
  { includeResults }: { readonly includeResults: boolean },
): Promise<DetailedExecution & { readonly results?: unknown }> {
  const found = await row<ExecutionRow & { results?: unknown }>(
    em,
    `select ${executionColumns}${includeResults ? ', e.results' : ''} from agent_execution e ${executionPlace}
     where e.api_key_id = $1 and e.ext_id = $2 and ${visibleExecution}`,
    [tenant.id, executionId],
  );
  if (found === undefined) throw notFound(messages.executionMissing);
  return { ...detailedExecutionOf(found), ...(includeResults && { results: found.results }) };
}
