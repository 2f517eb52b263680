import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { isInVisibleDocument } from '../documents/resolve-document.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lastKey } from '../last-key.ts';
import { activityLogKind } from './activity-log.ts';

/**
 * Conditions of a deletion, combined with AND; an absent or null one matches every record. `document` is a surrogate
 * key.
 */
export interface ActivityLogSelection {
  readonly document?: string | null | undefined;
  readonly targetEntityId?: string | null | undefined;
  readonly activityIds?: readonly string[] | null | undefined;
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

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to delete activity.');

/** Removes the matching activity logs, or none while activity logs are immutable. */
export async function deleteActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: ActivityLogSelection,
): Promise<ActivityLogDeletion> {
  const matching = await lockMatching(em, organization, selection);
  const removed = tenant.switches.activityLogsImmutable ? [] : matching.slice(0, maxDeletedPerCall);
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
  const requestedIds = selection.activityIds ?? [...known.keys()];
  const more = removed.length > 0 && matching.length > maxDeletedPerCall;
  return {
    outcomes: new Map(requestedIds.map((id) => [id, known.get(id) ?? refusal('not-found')])),
    deletedCount: removed.length,
    job: more ? await createRemovalJob(em, tenant, organization, selection) : undefined,
  };
}

interface Matching {
  readonly id: string;
  readonly ext_id: string;
}

/** Locks one row more than a call removes. The fixed order prevents deadlocks between deletions. */
async function lockMatching(
  em: EntityManager,
  organization: ResolvedOrganization,
  selection: ActivityLogSelection,
): Promise<Matching[]> {
  return activityLogsOf(em, organization.id, selection)
    .select(['a.id', 'a.ext_id'])
    .limit(maxDeletedPerCall + 1)
    .execute();
}

/**
 * SQL: the matching records. One statement text serves all conditions. It repeats the narrowest one without `null`, so
 * that a cached plan uses its index.
 */
function activityLogsOf(
  em: EntityManager,
  organization: string,
  { document = null, targetEntityId = null, activityIds = null }: ActivityLogSelection,
) {
  const narrowestIndex =
    activityIds !== null
      ? sql<boolean>`a.ext_id = any(${activityIds}::text[])`
      : targetEntityId !== null
        ? sql<boolean>`a.target_entity_id = ${targetEntityId}::text`
        : sql<boolean>`a.document_id = ${document}::bigint`;
  return tablesOf(em)
    .selectFrom('activity as a')
    .where('a.org_id', '=', organization)
    .where(narrowestIndex)
    .where(isInVisibleDocument(sql.ref('a.document_id')))
    .where(
      sql<boolean>`(${document}::bigint is null or a.document_id = ${document})
        and (${targetEntityId}::text is null or a.target_entity_id = ${targetEntityId})
        and (${activityIds}::text[] is null or a.ext_id = any(${activityIds}))`,
    )
    .orderBy('a.ts')
    .orderBy('a.id')
    .forUpdate();
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
}

async function createRemovalJob(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  { document, targetEntityId }: ActivityLogSelection,
): Promise<CreatedJob> {
  const selection: RemainingActivityLogs = {
    organization: organization.id,
    document: document ?? null,
    targetEntityId: targetEntityId ?? null,
    upTo: await lastKey(em, 'activity'),
  };
  return createJob(em, tenant, {
    kind: cascadeKind,
    organization,
    request: { organizations: [], folders: [], documents: [], records: { of: 'activities', selection } },
  });
}

const removalBatchRows = 5_000;

/** Removes the next batch in one short transaction; returns the number of records, 0 at the end. */
export async function removeRemainingActivityLogs(
  em: EntityManager,
  tenantId: string,
  { organization, upTo, ...selection }: RemainingActivityLogs,
): Promise<number> {
  const next = await activityLogsOf(em, organization, selection)
    .select('a.id')
    .where('a.api_key_id', '=', tenantId)
    .where('a.id', '<=', upTo)
    .limit(sql.lit(removalBatchRows))
    .execute();
  await removeActivityLogs(
    em,
    next.map(({ id }) => id),
  );
  return next.length;
}
