import { sql } from 'kysely';
import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { cascadeKind } from '../jobs/job-kinds.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { lastKey } from '../last-key.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { activityLogKind } from './activity-log.ts';

/** Which records go; all conditions hold. `document` is a surrogate key. */
export interface ActivityLogSelection {
  readonly document?: string | null | undefined;
  readonly targetEntityId?: string | null | undefined;
  readonly activityIds?: readonly string[] | null | undefined;
}

export interface ActivityLogDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes what goes beyond one call. */
  readonly job: CreatedJob | undefined;
}

/** Records that one call removes by itself; there is an outcome for each of them. */
const maxDeleted = 1_000;

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to delete activity.');

export async function deleteActivityLogs(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: ActivityLogSelection,
): Promise<ActivityLogDeletion> {
  const matching = await lockMatching(em, organization, selection);
  const removed = tenant.switches.activityLogsImmutable ? [] : matching.slice(0, maxDeleted);
  await removeActivityLogs(
    em,
    removed.map(({ id }) => id),
  );
  const known = new Map(
    matching
      .slice(0, maxDeleted)
      .map(({ ext_id }) => [
        ext_id,
        removed.length > 0 ? done('Activity deleted.') : refusal('failed-precondition'),
      ]),
  );
  const asked = selection.activityIds ?? [...known.keys()];
  const more = removed.length > 0 && matching.length > maxDeleted;
  return {
    outcomes: new Map(asked.map((id) => [id, known.get(id) ?? refusal('not-found')])),
    deletedCount: removed.length,
    job: more ? await createRemainder(em, tenant, organization, selection) : undefined,
  };
}

interface Matching {
  readonly id: string;
  readonly ext_id: string;
}

/** One more than a call removes, in the order of the index, so that two deletions never wait for each other in a ring. */
async function lockMatching(
  em: EntityManager,
  organization: ResolvedOrganization,
  selection: ActivityLogSelection,
): Promise<Matching[]> {
  return activityLogsOf(em, organization.id, selection)
    .select(['a.id', 'a.ext_id'])
    .limit(maxDeleted + 1)
    .execute();
}

/** In one text whichever conditions are given; the narrowest once more without the `null` alternative: a plan that is kept finds the index. */
function activityLogsOf(
  em: EntityManager,
  organization: string,
  { document = null, targetEntityId = null, activityIds = null }: ActivityLogSelection,
) {
  const narrowest =
    activityIds !== null
      ? sql<boolean>`a.ext_id = any(${activityIds}::text[])`
      : targetEntityId !== null
        ? sql<boolean>`a.target_entity_id = ${targetEntityId}::text`
        : sql<boolean>`a.document_id = ${document}::bigint`;
  return tablesOf(em)
    .selectFrom('activity as a')
    .where('a.org_id', '=', organization)
    .where(narrowest)
    .where(
      sql<boolean>`(${document}::bigint is null or a.document_id = ${document})
        and (${targetEntityId}::text is null or a.target_entity_id = ${targetEntityId})
        and (${activityIds}::text[] is null or a.ext_id = any(${activityIds}))`,
    )
    .orderBy('a.ts')
    .orderBy('a.id')
    .forUpdate();
}

/** Removes records by surrogate key, with what says whom they name. */
export async function removeActivityLogs(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`with removed as (delete from activity where id = any(${ids}::bigint[]) returning id, mentioned)
    delete from record_user n using removed r
    where n.kind = ${sql.lit(activityLogKind)} and n.record_id = r.id and n.user_id = any(r.mentioned)`.execute(
    tablesOf(em),
  );
}

/** What a job removes of activities: surrogate keys, and the customer's target id. */
export interface RemainingActivityLogs {
  readonly organization: string;
  readonly document: string | null;
  readonly targetEntityId: string | null;
  /** Only what existed at the call: a record added later is not one that was deleted. */
  readonly upTo: string;
}

async function createRemainder(
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

const removedAtOnce = 5_000;

/** Removes the next of them, few enough for one short transaction; answers how many, 0 at the end. */
export async function removeRemainingActivityLogs(
  em: EntityManager,
  tenantId: string,
  { organization, upTo, ...selection }: RemainingActivityLogs,
): Promise<number> {
  const next = await activityLogsOf(em, organization, selection)
    .select('a.id')
    .where('a.api_key_id', '=', tenantId)
    .where('a.id', '<=', upTo)
    .limit(sql.lit(removedAtOnce))
    .execute();
  await removeActivityLogs(
    em,
    next.map(({ id }) => id),
  );
  return next.length;
}
