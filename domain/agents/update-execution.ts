import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { failedPrecondition, invalidMember, notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lockPeople } from '../users/lock-named.ts';
import { allNames, indexRecords } from '../users/name-index.ts';
import { namedPeople, type NamedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import {
  detailedExecutionOf,
  executionStatusNumbers,
  ExecutionRow,
  type DetailedExecution,
  type ExecutionStatus,
} from './execution.ts';
import { recordExecutionEvent } from './execution-event.ts';
import { executionColumns, executionLocation, visibleExecution } from './visible-execution.ts';

/** The members to change; undefined members are kept. */
export interface ExecutionPatch {
  readonly status?: ExecutionStatus | undefined;
  readonly message?: string | undefined;
  readonly agentName?: string | undefined;
  readonly completedAt?: number | undefined;
  readonly results?: unknown;
}

/**
 * Updates an execution. Its texts and results may change after its end, its status may not: a second end throws
 * FAILED_PRECONDITION. Throws NOT_FOUND for a missing one.
 */
export async function updateExecution(
  em: EntityManager,
  tenant: Tenant,
  executionId: string,
  patch: ExecutionPatch,
): Promise<DetailedExecution> {
  const people = namedPeople(patch.results);
  refuseManyUsers(people.userIds.size);
  const found = await lockExecution(em, tenant, executionId);
  const ends = patch.status !== undefined && patch.status !== 'running';
  const completedAt = ends ? endOf(found, patch) : unchangedEnd(found, patch);
  const { message = found.body.message, agentName = found.body.agentName } = patch;
  const changed = {
    ...found,
    status: ends ? executionStatusNumbers[patch.status] : found.status,
    completed_at: completedAt,
    body: { ...found.body, message, agentName },
  };
  if (patch.results !== undefined) await indexResults(em, tenant, found, people);
  await write(em, tenant, changed, patch.results);
  const execution = detailedExecutionOf(changed);
  if (ends) await recordEndEvent(em, tenant, execution, found);
  return execution;
}

const LockedRow = ExecutionRow.extend({
  org_id: z.string().nullable(),
  document_id: z.string().nullable(),
});
type LockedRow = z.infer<typeof LockedRow>;

/** Locks the row: of two calls that end an execution, the second sees the first. */
async function lockExecution(em: EntityManager, tenant: Tenant, executionId: string): Promise<LockedRow> {
  const found = await rowOf(
    em,
    LockedRow,
    sql`select ${executionColumns}, e.org_id, e.document_id
      from agent_execution e ${executionLocation}
      where e.api_key_id = ${tenant.id} and e.ext_id = ${executionId} and ${visibleExecution}
      for no key update of e`,
  );
  if (found === undefined) throw notFound(messages.executionMissing);
  return found;
}

function endOf(found: LockedRow, { completedAt }: ExecutionPatch): string {
  if (found.completed_at !== null) throw failedPrecondition(messages.executionEnded);
  const startedAt = Number(found.started_at);
  const end = completedAt ?? Math.max(Date.now(), startedAt);
  if (end < startedAt) throw invalidMember('completedAt', 'completedAt must not be before startedAt.');
  return String(end);
}

function unchangedEnd(found: LockedRow, { status, completedAt }: ExecutionPatch): string | null {
  const touched = status !== undefined || completedAt !== undefined;
  if (touched && found.completed_at !== null) throw failedPrecondition(messages.executionEnded);
  if (completedAt !== undefined) {
    throw invalidMember('completedAt', 'completedAt must come with the status of the end.');
  }
  return found.completed_at;
}

/** Results are free JSON and may name users. */
async function indexResults(
  em: EntityManager,
  tenant: Tenant,
  { id, org_id }: LockedRow,
  people: NamedPeople,
): Promise<void> {
  await lockPeople(em, tenant, people, org_id === null ? [] : [org_id]);
  await indexRecords(em, tenant, 'agentExecution', [{ id, names: allNames(people) }]);
}

async function write(
  em: EntityManager,
  tenant: Tenant,
  { id, status, completed_at, body }: LockedRow,
  results: unknown,
): Promise<void> {
  await tablesOf(em)
    .updateTable('agent_execution')
    .set({ status, completed_at, body, ...(results !== undefined && { results: JSON.stringify(results) }) })
    .where('id', '=', id)
    .where('api_key_id', '=', tenant.id)
    .execute();
}

/** The event names the user who started the execution, and those in its members, so the write fence applies. */
async function recordEndEvent(
  em: EntityManager,
  tenant: Tenant,
  execution: DetailedExecution,
  { org_id, document_id }: LockedRow,
): Promise<void> {
  if (!tenant.switches.webhooks) return;
  const users = await lockPeople(em, tenant, namedPeople(execution.ranBy), org_id === null ? [] : [org_id]);
  const keys = { organization: org_id, document: document_id };
  await recordExecutionEvent(em, tenant, execution, keys, users);
}
