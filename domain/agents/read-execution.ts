import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { detailedExecutionOf, ExecutionRow, type DetailedExecution } from './execution.ts';
import { executionColumns, executionLocation, visibleExecution } from './visible-execution.ts';

const ReadRow = ExecutionRow.extend({ results: z.unknown().optional() });

/** Reads an execution. `results` is present on request, null for none. Throws NOT_FOUND. */
export async function readExecution(
  em: EntityManager,
  tenant: Tenant,
  executionId: string,
  { includeResults }: { readonly includeResults: boolean },
): Promise<DetailedExecution & { readonly results?: unknown }> {
  const found = await rowOf(
    em,
    ReadRow,
    sql`select ${executionColumns} ${includeResults ? sql`, e.results` : sql``}
      from agent_execution e ${executionLocation}
      where e.api_key_id = ${tenant.id} and e.ext_id = ${executionId} and ${visibleExecution}`,
  );
  if (found === undefined) throw notFound(messages.executionMissing);
  return { ...detailedExecutionOf(found), ...(includeResults && { results: found.results }) };
}
