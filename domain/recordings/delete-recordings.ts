import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { maxBigint } from '../bigint-range.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { lockSelectedLocation } from '../documents/lock-selected-location.ts';
import { isVisible } from '../documents/resolve-document.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { createRemovalJob } from '../jobs/create-removal-job.ts';
import { lastKey } from '../last-key.ts';
import { lockUpTo, type LockedRows } from '../lock-up-to.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { recordingKind } from './recording.ts';

/** Conditions of a deletion, combined with AND; at least one is given. `document` is a surrogate key. */
interface RecordingSelection {
  readonly document: string | undefined;
  readonly recordingIds: readonly string[] | undefined;
}

/** The recordings to delete, by the customer's ids; at least a document or recordings are given. */
export interface RecordingDeletionRequest {
  readonly organizationId: string;
  readonly documentId?: string | undefined;
  readonly recordingIds?: readonly string[] | undefined;
}

export interface RecordingDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes the recordings that exceed the limit of one call. */
  readonly job: CreatedJob | undefined;
}

/** Max recordings that the call itself removes and reports; a job removes the rest. */
const maxDeletedPerCall = 1_000;

const removed = done('Deleted Successfully');
const missing = failed('not-found', messages.recordingMissing);

export async function deleteRecordings(
  em: EntityManager,
  tenant: Tenant,
  { recordingIds, ...request }: RecordingDeletionRequest,
): Promise<RecordingDeletion> {
  const { organization, document } = await lockSelectedLocation(em, tenant, request);
  const selection = { document: document?.id, recordingIds };
  const { rows, more } = await lockMatching(
    em,
    tenant.id,
    remainderOf(organization, selection, maxBigint),
    maxDeletedPerCall,
  );
  await removeRecordings(
    em,
    tenant.id,
    rows.map(({ id }) => id),
  );
  const known = new Set(rows.map(({ ext_id }) => ext_id));
  if (!more) {
    const ids = recordingIds ?? [...known];
    const outcomes = new Map(ids.map((id) => [id, known.has(id) ? removed : missing]));
    return { outcomes, deletedCount: rows.length, job: undefined };
  }
  const remaining = remainderOf(organization, selection, await lastKey(em, 'recording'));
  // Ids whose recordings are left to the job count as removed.
  for (const { ext_id } of recordingIds === undefined ? [] : await idsOf(em, tenant.id, remaining))
    known.add(ext_id);
  const ids = recordingIds ?? [...known];
  return {
    outcomes: new Map(ids.map((id) => [id, known.has(id) ? removed : missing])),
    deletedCount: rows.length,
    job: await createRemovalJob(em, tenant, organization, { of: 'recordings', selection: remaining }),
  };
}

/** The recordings that a job removes: surrogate keys, and the customer's ids of recordings. */
export interface RemainingRecordings {
  readonly organization: string;
  readonly document: string | null;
  readonly recordingIds: readonly string[] | null;
  /** Highest surrogate key at the call: recordings added later stay, also under the id of one to remove (`openRemovals`). */
  readonly upTo: string;
}

const remainderOf = (
  { id }: ResolvedOrganization,
  { document, recordingIds }: RecordingSelection,
  upTo: string,
): RemainingRecordings => ({
  organization: id,
  document: document ?? null,
  recordingIds: recordingIds ?? null,
  upTo,
});

/**
 * SQL: visible recordings of a selection, as `r`. Names only columns of the index on the ids, else of the index on the
 * document.
 */
function matching(
  tenantId: string,
  { organization, document, recordingIds, upTo }: RemainingRecordings,
): RawBuilder<unknown> {
  const byIds =
    recordingIds === null
      ? sql``
      : sql`r.org_id = ${organization} and r.ext_id = any(${recordingIds}::text[]) and `;
  const byDocument = document === null ? sql`` : sql`r.document_id = ${document}::bigint and `;
  return sql`recording r where ${byIds} ${byDocument} r.id <= ${upTo}::bigint and r.api_key_id = ${tenantId}
    and exists (select from document d where d.id = r.document_id and d.deleted_at is null and ${isVisible})`;
}

const RecordingRow = z.strictObject({ id: z.string(), ext_id: z.string() });
const FoundRow = z.strictObject({ matched: z.number(), row: RecordingRow.nullable() });

/**
 * Locks up to `max` recordings of a selection in the order of their ids, like `addRecordings`, which prevents deadlocks.
 * Omits recordings that a concurrent call deleted.
 */
const lockMatching = async (
  em: EntityManager,
  tenantId: string,
  selection: RemainingRecordings,
  max: number,
): Promise<LockedRows<z.infer<typeof RecordingRow>>> =>
  lockUpTo(max, async (limit) => lockOnce(em, tenantId, selection, limit));

async function lockOnce(
  em: EntityManager,
  tenantId: string,
  selection: RemainingRecordings,
  limit: number,
): Promise<z.infer<typeof FoundRow>[]> {
  const order = selection.recordingIds === null ? sql`r.updated_at, r.id` : sql`r.ext_id, r.document_id`;
  return rowsOf(
    em,
    FoundRow,
    sql`with next as materialized (
        select r.id from ${matching(tenantId, selection)} order by ${order} limit ${limit}),
      locked as materialized (
        select r.id, r.ext_id from recording r where r.id = any(array(select id from next))
        order by r.ext_id, r.document_id for update)
      select n.matched, case when l.id is not null then json_build_object('id', l.id::text, 'ext_id', l.ext_id) end as row
      from (select count(*)::int as matched from next) n left join locked l on true`,
  );
}

const IdRow = z.strictObject({ ext_id: z.string() });

/** Returns the ids of a selection that still have a recording. */
async function idsOf(
  em: EntityManager,
  tenantId: string,
  selection: RemainingRecordings,
): Promise<z.infer<typeof IdRow>[]> {
  return rowsOf(
    em,
    IdRow,
    sql`select t.ext_id from unnest(${selection.recordingIds}::text[]) as t (ext_id)
      where exists (select from ${matching(tenantId, selection)} and r.ext_id = t.ext_id)`,
  );
}

/** Removes recordings by surrogate key, with their rows in `record_user`. */
export async function removeRecordings(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`with removed as (
      delete from recording where id = any(${ids}::bigint[]) and api_key_id = ${tenantId} returning id, mentioned)
    delete from record_user n using removed r
    where n.kind = ${sql.lit(recordingKind)} and n.record_id = r.id and n.user_id = any(r.mentioned)`.execute(
    tablesOf(em),
  );
}

const removalBatchRows = 1_000;

/** Removes the next batch in one short transaction. Returns the number of recordings, 0 at the end. */
export async function removeRemainingRecordings(
  em: EntityManager,
  tenantId: string,
  selection: RemainingRecordings,
): Promise<number> {
  const { rows } = await lockMatching(em, tenantId, selection, removalBatchRows);
  await removeRecordings(
    em,
    tenantId,
    rows.map(({ id }) => id),
  );
  return rows.length;
}
