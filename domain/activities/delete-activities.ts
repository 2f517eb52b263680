import { done, failed, type Outcome, type Outcomes } from '../batch.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { activityRecordKind } from './activity.ts';

/** Which records go; all conditions hold. `document` is a surrogate key. */
export interface ActivitySelection {
  readonly document?: string | undefined;
  readonly targetEntityId?: string | undefined;
  readonly activityIds?: readonly string[] | undefined;
}

export interface ActivityDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes what goes beyond one call. */
  readonly job: CreatedJob | undefined;
}

/** Records that one call removes by itself; there is an outcome for each of them. */
const mostDeleted = 1_000;

const refusal = (code: 'not-found' | 'failed-precondition'): Outcome =>
  failed(code, 'Failed to delete activity.');

export async function deleteActivities(
  em: EntityManager,
  tenant: Tenant,
  organization: ResolvedOrganization & { readonly organizationId: string },
  selection: ActivitySelection,
): Promise<ActivityDeletion> {
  const matching = await lockMatching(em, organization, selection);
  const removed = tenant.switches.activitiesImmutable ? [] : matching.slice(0, mostDeleted);
  await removeActivities(
    em,
    removed.map(({ id }) => id),
  );
  const known = new Map(
    matching
      .slice(0, mostDeleted)
      .map(({ ext_id }) => [
        ext_id,
        removed.length > 0 ? done('Activity deleted.') : refusal('failed-precondition'),
      ]),
  );
  const asked = selection.activityIds ?? [...known.keys()];
  const more = removed.length > 0 && matching.length > mostDeleted;
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
  selection: ActivitySelection,
): Promise<Matching[]> {
  return rows(
    em,
    `select a.id, a.ext_id from activity a where a.org_id = $1 and ${narrowest(selection)}
       and ($2::bigint is null or a.document_id = $2) and ($3::text is null or a.target_entity_id = $3)
       and ($4::text[] is null or a.ext_id = any($4))
     order by a.ts, a.id limit $5 for update`,
    [
      organization.id,
      selection.document ?? null,
      selection.targetEntityId ?? null,
      selection.activityIds ?? null,
      mostDeleted + 1,
    ],
  );
}

/** Written once more without the `null` alternative, so that a prepared statement still finds the index. */
function narrowest({ activityIds, targetEntityId }: ActivitySelection): string {
  if (activityIds !== undefined) return 'a.ext_id = any($4::text[])';
  if (targetEntityId !== undefined) return 'a.target_entity_id = $3::text';
  return 'a.document_id = $2::bigint';
}

/** Removes records by surrogate key, with what says whom they name. */
export async function removeActivities(em: EntityManager, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    em,
    `with removed as (delete from activity where id = any($1::bigint[]) returning id, mentioned)
     delete from record_user n using removed r
     where n.kind = ${String(activityRecordKind)} and n.record_id = r.id and n.user_id = any(r.mentioned)`,
    [ids],
  );
}

/** What a job removes of activities: surrogate keys, and the customer's target id. */
export interface RemainingActivities {
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
  { document, targetEntityId }: ActivitySelection,
): Promise<CreatedJob> {
  const last = await row<{ id: string }>(
    em,
    `select last_value as id from pg_sequences where schemaname = current_schema() and sequencename = 'activity_id_seq'`,
  );
  const selection: RemainingActivities = {
    organization: organization.id,
    document: document ?? null,
    targetEntityId: targetEntityId ?? null,
    upTo: last?.id ?? '0',
  };
  return createJob(em, tenant, {
    kind: 'cascade',
    organization,
    request: { organizations: [], folders: [], documents: [], records: { of: 'activities', selection } },
  });
}

const removedAtOnce = 5_000;

/** Removes the next of them, few enough for one short transaction; answers how many, 0 at the end. */
export async function removeRemainingActivities(
  em: EntityManager,
  tenantId: string,
  { organization, document, targetEntityId, upTo }: RemainingActivities,
): Promise<number> {
  const selection = { document: document ?? undefined, targetEntityId: targetEntityId ?? undefined };
  const next = await rows<{ id: string }>(
    em,
    `select a.id from activity a where a.org_id = $1 and ${narrowest(selection)}
       and ($2::bigint is null or a.document_id = $2) and ($3::text is null or a.target_entity_id = $3)
       and a.api_key_id = $4 and a.id <= $5 order by a.ts, a.id limit ${String(removedAtOnce)} for update`,
    [organization, document, targetEntityId, tenantId, upTo],
  );
  await removeActivities(
    em,
    next.map(({ id }) => id),
  );
  return next.length;
}
