import { sql } from 'kysely';
import { mebibyte } from '../../platform/units.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, rowsOf } from '../../platform/database/statements.ts';
import { done, failed, type Outcomes } from '../batch.ts';
import { lockDocument, type ResolvedDocument } from '../documents/resolve-document.ts';
import { recordEvents } from '../events/record-events.ts';
import type { CreatedJob } from '../jobs/create-job.ts';
import { createRemovalJob } from '../jobs/create-removal-job.ts';
import { lastKey } from '../last-key.ts';
import { leadingWithin } from '../leading-within.ts';
import { messages } from '../messages.ts';
import { lockOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { isCrdtLeftToJob } from './left-to-job.ts';
import { eventColumns, EventRow, eventsOf, eventSource } from './record-event.ts';

/** The records of a document to delete. Without `editorIds` those of all editors. */
export interface CrdtDeletionRequest {
  readonly organizationId: string;
  readonly documentId: string;
  readonly editorIds?: readonly string[] | undefined;
}

/** The result of a deletion. `deletedCount` counts the records that the call itself removed. */
export interface CrdtDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes the records beyond the limit of one call. */
  readonly job: CreatedJob | undefined;
}

/** Max stored bytes of the records that a statement removes; one record may exceed it. */
export const maxDeletedBytes = 256 * mebibyte;

/**
 * Limits of the records of a document that a statement removes. A job removes the others. The records of given editors
 * are removed at once.
 */
const maxDeleted = { records: 1_000, bytes: maxDeletedBytes } as const;

/** SQL: the stored bytes of a record, which a deletion reads and marks. */
export const storedBytes = sql<number>`decoded_bytes + octet_length(state)`;

/** The first records within the limits of a statement. */
const firstWithin = <Row extends { readonly bytes: number }>(rows: readonly Row[]): readonly Row[] =>
  leadingWithin(rows.slice(0, maxDeleted.records), maxDeleted.bytes, ({ bytes }) => bytes);

/** Removes the records of the given editors, or of all. Records their pending events first. */
export async function deleteRecords(
  em: EntityManager,
  tenant: Tenant,
  { organizationId, documentId, editorIds }: CrdtDeletionRequest,
): Promise<CrdtDeletion> {
  const { id } = await lockOrganization(em, tenant, organizationId);
  const document = await lockDocument(em, tenant, { id }, documentId);
  const records = tablesOf(em)
    .selectFrom('crdt')
    .select(['id', 'editor_id', storedBytes.as('bytes')])
    .where((row) => row.and({ api_key_id: tenant.id, document_id: document.id }));
  const selected = editorIds === undefined ? records : records.where('editor_id', '=', anyOf(editorIds));
  const matching = await selected
    .orderBy('editor_id')
    .limit(maxDeleted.records + 1)
    .forUpdate()
    .execute();
  // A job selects all records of a document, not given ones.
  const removed = editorIds === undefined ? firstWithin(matching) : matching;
  const ids = removed.map(({ id }) => id);
  await removeWithEvents(em, tenant, ids);
  const deleted = new Set(removed.map(({ editor_id }) => editor_id));
  const requestedIds = editorIds ?? [...deleted];
  const more = matching.length > removed.length;
  const left = more ? await remainderOf(em, document) : undefined;
  return {
    outcomes: new Map(
      requestedIds.map((id) => [
        id,
        deleted.has(id) ? done('CRDT data deleted.') : failed('not-found', messages.crdtMissing),
      ]),
    ),
    deletedCount: removed.length,
    job:
      left && (await createRemovalJob(em, tenant, { id, organizationId }, { of: 'crdt', selection: left })),
  };
}

/** Removes the record of an editor if a job is still to remove it, as the job would. */
export async function removeLeftToJob(
  em: EntityManager,
  tenant: Tenant,
  document: string,
  editorId: string,
): Promise<void> {
  const left = await tablesOf(em)
    .selectFrom('crdt as c')
    .select('c.id')
    .where((row) =>
      row.and({ 'c.api_key_id': tenant.id, 'c.document_id': document, 'c.editor_id': editorId }),
    )
    .where(isCrdtLeftToJob)
    .forUpdate()
    .execute();
  await removeWithEvents(
    em,
    tenant,
    left.map(({ id }) => id),
  );
}

async function removeWithEvents(em: EntityManager, tenant: Tenant, ids: readonly string[]): Promise<void> {
  if (tenant.switches.webhooks && ids.length > 0) await recordPendingEvents(em, tenant.id, ids);
  await removeRecords(em, tenant.id, ids);
}

async function recordPendingEvents(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  const waiting = await rowsOf(
    em,
    EventRow,
    sql`select ${eventColumns} from crdt_event e ${eventSource} where e.crdt_id = any(${ids})
      order by e.crdt_id for update of e`,
  );
  await recordEvents(em, tenantId, eventsOf(waiting));
}

/** Removes records by surrogate key, with their log and pending events. */
async function removeRecords(em: EntityManager, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`with events as (delete from crdt_event where crdt_id = any(${ids}) and api_key_id = ${tenantId}),
    log as (delete from crdt_update where crdt_id = any(${ids}) and api_key_id = ${tenantId})
    delete from crdt where id = any(${ids}) and api_key_id = ${tenantId}`.execute(tablesOf(em));
}

/** The records of a document that a job removes. `upTo`: the highest surrogate key at the call (`openRemovals`). */
export interface RemainingRecords {
  readonly document: string;
  readonly upTo: string;
}

const remainderOf = async (em: EntityManager, { id }: ResolvedDocument): Promise<RemainingRecords> => ({
  document: id,
  upTo: await lastKey(em, 'crdt'),
});

/** Removes the next batch with its pending events recorded, in one short transaction; returns its size, 0 at the end. */
export async function removeRemainingRecords(
  em: EntityManager,
  tenantId: string,
  { document, upTo }: RemainingRecords,
): Promise<number> {
  const found = await tablesOf(em)
    .selectFrom('crdt')
    .select(['id', storedBytes.as('bytes')])
    .where((row) => row.and({ document_id: document, api_key_id: tenantId }))
    .where('id', '<=', upTo)
    .orderBy('editor_id')
    .limit(sql.lit(maxDeleted.records))
    .forUpdate()
    .execute();
  const next = firstWithin(found);
  const ids = next.map(({ id }) => id);
  await recordPendingEvents(em, tenantId, ids);
  await removeRecords(em, tenantId, ids);
  return next.length;
}
