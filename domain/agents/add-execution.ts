import { randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { maxIdBytes } from '../id-size.ts';
import { lockDocument } from '../documents/resolve-document.ts';
import { alreadyExists } from '../errors.ts';
import { messages } from '../messages.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { lockPeople } from '../users/lock-named.ts';
import type { LockedUsers } from '../users/lock-users.ts';
import { allNames, indexRecords } from '../users/name-index.ts';
import { addActor, namedPeople } from '../users/named-users.ts';
import { refuseManyUsers } from '../users/refuse-many-users.ts';
import {
  detailedExecutionOf,
  executionStatusNumbers,
  type DetailedExecution,
  type ExecutionBody,
  type ExecutionStatus,
  type RanBy,
} from './execution.ts';
import { recordExecutionEvent, type ExecutionKeys } from './execution-event.ts';
import { executionLocation, visibleExecution } from './visible-execution.ts';

/** An execution as sent. */
export interface ExecutionInput extends Omit<ExecutionBody, 'agentName'> {
  readonly executionId?: string | undefined;
  readonly agentId: string;
  readonly agentName?: string | undefined;
  readonly organizationId?: string | undefined;
  readonly documentId?: string | undefined;
  readonly status: ExecutionStatus;
  readonly startedAt?: number | undefined;
  readonly completedAt?: number | undefined;
  /** Any JSON; undefined without results. */
  readonly results?: unknown;
}

/** Adds an execution and emits its event. Throws ALREADY_EXISTS for an id in use, NOT_FOUND for a missing location. */
export async function addExecution(
  em: EntityManager,
  tenant: Tenant,
  sent: ExecutionInput,
): Promise<DetailedExecution> {
  const { users, ...keys } = await lockKeys(em, tenant, sent);
  const { startedAt, completedAt } = timesOf(sent);
  const { agentId, organizationId, documentId, status } = sent;
  const body: ExecutionBody = {
    agentName: sent.agentName ?? agentId,
    agentVersion: sent.agentVersion,
    message: sent.message,
    trigger: sent.trigger,
    workflowExecutionId: sent.workflowExecutionId,
    url: sent.url,
    ranBy: sent.ranBy,
  };
  const written = {
    agent_id: agentId,
    status: executionStatusNumbers[status],
    started_at: String(startedAt),
    completed_at: completedAt === null ? null : String(completedAt),
    body,
    results: sent.results,
  };
  const startedBy = (sent.ranBy && users.get(sent.ranBy.userId)) ?? null;
  const ext_id = await insert(em, tenant, sent, keys, { ...written, started_by: startedBy });
  const location = {
    ext_id,
    organization_ext_id: organizationId ?? null,
    document_ext_id: documentId ?? null,
  };
  const execution = detailedExecutionOf({ ...written, ...location });
  await recordExecutionEvent(em, tenant, execution, keys, users);
  return execution;
}

/** Organization and document must exist. The starting user may be new, but must not be fenced by a deletion. */
async function lockKeys(
  em: EntityManager,
  tenant: Tenant,
  sent: ExecutionInput,
): Promise<ExecutionKeys & { readonly users: LockedUsers }> {
  const { organizationId, documentId, ranBy } = sent;
  const people = namedPeople(ranBy, sent.results);
  refuseManyUsers(people.userIds.size);
  const { organization, document } =
    organizationId === undefined
      ? {}
      : await refusingFencedFirst(em, tenant, { organizationId, userIds: [...people.userIds] }, async () => {
          const organization = await lockOrganization(em, tenant, organizationId);
          if (documentId === undefined) return { organization };
          return { organization, document: await lockDocument(em, tenant, organization, documentId) };
        });
  const users = await lockPeople(em, tenant, people, organization === undefined ? [] : [organization.id]);
  return { organization: organization?.id ?? null, document: document?.id ?? null, users };
}

/** The start and end of an execution. Each defaults to now, or to the other one where now would put the end first. */
function timesOf({ status, startedAt: sentStart, completedAt: sentEnd }: ExecutionInput) {
  const now = Date.now();
  const startedAt = sentStart ?? Math.min(now, sentEnd ?? now);
  if (status === 'running') return { startedAt, completedAt: null };
  return { startedAt, completedAt: sentEnd ?? Math.max(now, startedAt) };
}

/** Names to index: those in free JSON. The starting user has a column. */
function namesInExecution(ranBy: RanBy | null, results: unknown): string[] {
  const named = namedPeople(results);
  if (ranBy !== null) addActor(named, ranBy);
  return allNames(named);
}

interface ExecutionValues {
  readonly agent_id: string;
  readonly status: (typeof executionStatusNumbers)[ExecutionStatus];
  readonly started_at: string;
  readonly completed_at: string | null;
  readonly started_by: string | null;
  readonly body: ExecutionBody;
  readonly results?: unknown;
}

/**
 * A generated id contains the time and the agent. While the id is taken, a later time is tried: first the next
 * millisecond, then a random one of the range after it, which doubles each time. So executions of the same time need
 * few attempts each, however many they are. The last range ends four and a half hours later.
 */
const maxIdAttempts = 25;

/** Milliseconds to add to the time of an id. */
const laterBy = (attempt: number): number =>
  attempt === 0 ? 0 : 2 ** (attempt - 1) + randomInt(2 ** (attempt - 1));

async function insert(
  em: EntityManager,
  tenant: Tenant,
  { executionId, agentId, startedAt }: ExecutionInput,
  keys: ExecutionKeys,
  written: ExecutionValues,
): Promise<string> {
  const insertAs = async (id: string): Promise<boolean> => insertRow(em, tenant, id, keys, written);
  if (executionId !== undefined) {
    if (await insertAs(executionId)) return executionId;
    await removeDeletedExecution(em, tenant, executionId);
    if (await insertAs(executionId)) return executionId;
    throw alreadyExists(messages.executionExists);
  }
  // Without a sent start, the id contains the start time.
  const now = startedAt === undefined ? Number(written.started_at) : Date.now();
  for (let attempt = 0; attempt < maxIdAttempts; attempt += 1) {
    const id = generateId(now + laterBy(attempt), agentId);
    if (await insertAs(id)) return id;
  }
  throw alreadyExists(messages.executionExists);
}

/** Truncates the agent's id, between characters, to keep the id within its limit. */
function generateId(ms: number, agentId: string): string {
  const prefix = `exec_${String(ms)}_`;
  const { read } = new TextEncoder().encodeInto(agentId, new Uint8Array(maxIdBytes - prefix.length));
  return prefix + agentId.slice(0, read);
}

async function insertRow(
  em: EntityManager,
  tenant: Tenant,
  id: string,
  { organization, document }: ExecutionKeys,
  { results, ...written }: ExecutionValues,
): Promise<boolean> {
  const inserted = await tablesOf(em)
    .insertInto('agent_execution')
    .values({
      api_key_id: tenant.id,
      org_id: organization,
      document_id: document,
      ext_id: id,
      ...written,
      results: results === undefined ? null : JSON.stringify(results),
    })
    .onConflict((conflict) => conflict.columns(['api_key_id', 'ext_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return false;
  countUsage(em, tenant.id, 'agentExecutions', 1);
  const names = namesInExecution(written.body.ranBy, results);
  await indexRecords(em, tenant, 'agentExecution', [{ id: inserted.id, names }]);
  return true;
}

/** Removes an execution that still has the id, although its organization or document is deleted. */
async function removeDeletedExecution(em: EntityManager, tenant: Tenant, executionId: string): Promise<void> {
  await sql`delete from agent_execution where id in (
    select e.id from agent_execution e ${executionLocation}
    where e.api_key_id = ${tenant.id} and e.ext_id = ${executionId} and not ${visibleExecution})`.execute(
    tablesOf(em),
  );
}
