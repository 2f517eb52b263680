import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { lockSelectedLocation } from '../documents/lock-selected-location.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { createRemovalJob } from '../jobs/create-removal-job.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lastKey } from '../last-key.ts';
import { activityLogKind } from './activity-log.ts';
import {
  examineActivityLogs,
  lockActivityLogs,
  type ActivityLogCursor,
  type ActivityLogSelection,
} from './select-activity-logs.ts';

/** The activity logs to delete, by the customer's ids; at least one condition beside the organization is given. */
export interface ActivityLogDeletionRequest extends Pick<
  ActivityLogSelection,
  'targetEntityId' | 'activityIds'
> {
  readonly organizationId: string;
  readonly documentId?: string | undefined;
}

/** The result of a deletion. `deletedCount` counts the records that the call itself removed. */
export interface ActivityLogDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes the records beyond the limit of one call. */
  readonly job: CreatedJob | undefined;
}

/** Max records that a call removes, each with an outcome in the response. A job removes the others. */
const maxDeletedPerCall = 1_000;

/** Max records of a document or a target that a call examines. A job examines the others. */
const maxExaminedPerCall = 20_000;

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to delete activity.');

/** Removes the matching activity logs, or none while activity logs are immutable. */
export async function deleteActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  { targetEntityId, activityIds, ...request }: ActivityLogDeletionRequest,
): Promise<ActivityLogDeletion> {
  const { organization, document } = await lockSelectedLocation(em, tenant, request);
  const selection = { document: document?.id, targetEntityId, activityIds };
  const { found, last } = await examineActivityLogs(em, {
    organization: organization.id,
    selection,
    after: null,
    upTo: null,
    maxExamined: maxExaminedPerCall,
    maxFound: maxDeletedPerCall + 1,
  });
  const matching = await lockActivityLogs(em, tenant.id, selection, found);
  const isImmutable = tenant.switches.activityLogsImmutable;
  const removed = isImmutable ? [] : matching.slice(0, maxDeletedPerCall);
  await removeActivityLogs(
    em,
    removed.map(({ id }) => id),
  );
  const known = new Map(
    matching
      .slice(0, maxDeletedPerCall)
      .map(({ ext_id }) => [
        ext_id,
        removed.length > 0 ? done('Activity deleted.') : refusal('failed-precondition'),
      ]),
  );
  const requestedIds = activityIds ?? [...known.keys()];
  const [more, after] = found.length > maxDeletedPerCall ? [true, null] : [last !== null, last];
  const isLeft = more && !isImmutable;
  const left = isLeft ? await remainderOf(em, organization, selection, after) : undefined;
  return {
    outcomes: new Map(requestedIds.map((id) => [id, known.get(id) ?? refusal('not-found')])),
    deletedCount: removed.length,
    job: left && (await createRemovalJob(em, tenant, organization, { of: 'activities', selection: left })),
  };
}

/** Removes records by surrogate key, with their rows in `record_user`. */
export async function removeActivityLogs(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`with removed as (delete from activity where id = any(${ids}::bigint[]) returning id, mentioned)
    delete from record_user n using removed r
    where n.kind = ${sql.lit(activityLogKind)} and n.record_id = r.id and n.user_id = any(r.mentioned)`.execute(
    tablesOf(em),
  );
}

/** The activity logs that a job removes: surrogate keys, and the customer's target id. */
export interface RemainingActivityLogs {
  readonly organization: string;
  readonly document: string | null;
  readonly targetEntityId: string | null;
  /** Highest surrogate key at the call: records added later stay, also under the id of one to remove (`openRemovals`). */
  readonly upTo: string;
  /** All records up to this position are removed. Null, and absent in jobs of earlier releases: from the start. */
  readonly after?: ActivityLogCursor | null;
}

async function remainderOf(
  em: EntityManager,
  { id }: ResolvedOrganization,
  { document, targetEntityId }: ActivityLogSelection,
  after: ActivityLogCursor | null,
): Promise<RemainingActivityLogs> {
  return {
    organization: id,
    document: document ?? null,
    targetEntityId: targetEntityId ?? null,
    upTo: await lastKey(em, 'activity'),
    after,
  };
}

/** Max records that one step of a job examines and removes. */
const removalBatchRows = 5_000;

/** The number of records that a step removed, and what is left after it; undefined at the end. */
export interface RemovedActivityLogs {
  readonly count: number;
  readonly left: RemainingActivityLogs | undefined;
}

/** Removes the next batch in one short transaction. */
export async function removeRemainingActivityLogs(
  em: EntityManager,
  tenantId: string,
  remaining: RemainingActivityLogs,
): Promise<RemovedActivityLogs> {
  const { organization, upTo, after = null, ...selection } = remaining;
  const limits = { maxExamined: removalBatchRows, maxFound: removalBatchRows };
  const { found, last } = await examineActivityLogs(em, { organization, selection, after, upTo, ...limits });
  const next = await lockActivityLogs(em, tenantId, selection, found);
  await removeActivityLogs(
    em,
    next.map(({ id }) => id),
  );
  return { count: next.length, left: last === null ? undefined : { ...remaining, after: last } };
}
