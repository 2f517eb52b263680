import { sql, type QueryCreator, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf, lookup, rowOf } from '../../platform/database/statements.ts';
import { isOpen, refuseClosed } from '../closed-rows.ts';
import { createAndLock } from '../create-and-lock.ts';
import { failedPrecondition, notFound, type DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf, type Tables } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { gatePassed, passGates } from './flip-gate.ts';

/** A document by its surrogate key. */
export interface ResolvedDocument {
  readonly id: string;
}

/**
 * SQL: false for a document `d` in a deleted folder: it disappears with the folder, although its row is removed later. A
 * scalar subquery, not `exists`: the planner could turn `exists` into a scan of every folder.
 */
export const isVisible = sql<boolean>`((select f.deleted_at from folder f where f.id = d.folder_id) is null)`;

/** SQL: whether the document with this key exists for callers. The records of another one disappear with it. */
export const isInVisibleDocument = (document: RawBuilder<unknown>) =>
  sql<boolean>`(select d.deleted_at is null and ${isVisible} from document d where d.id = ${document})`;

const documentsOf = (tables: QueryCreator<Tables>, organization: ResolvedOrganization) =>
  tables.selectFrom('document as d').where('d.org_id', '=', organization.id);

/** Visible documents among the ids, for a call to lock. Ordered by id, so that concurrent batches do not deadlock. */
export const visibleDocuments = (
  tables: QueryCreator<Tables>,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
) =>
  documentsOf(tables, organization)
    .where('d.ext_id', '=', anyOf(documentIds))
    .where(isVisible)
    .select(['d.id', 'd.ext_id'])
    .orderBy('d.ext_id');

/** Finds a document for a read. Throws NOT_FOUND, with `details.movedTo` if a migration moved the document. */
export async function findDocument(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<ResolvedDocument> {
  const document = documentsOf(tablesOf(em), organization).where('d.ext_id', '=', documentId);
  const [found] = await lookup(em, document.where(isVisible).select('d.id'));
  if (found === undefined)
    throw await documentMissing(em, organization, documentId, messages.documentMissing);
  return found;
}

/**
 * Locks a document FOR KEY SHARE for a write, so that a migration waits for this transaction. `create` is the operation's
 * flag `createDocument`, undefined if it has none. Never creates an id that a migration moved away or reserves. Throws
 * ABORTED while a deletion waits for other writers.
 */
export async function lockDocument(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
  organization: ResolvedOrganization,
  documentId: string,
  create?: boolean,
): Promise<ResolvedDocument> {
  const found = await lock(em, organization, documentId);
  if (found !== undefined) return found;
  if (create !== true) {
    const text = create === undefined ? messages.documentMissing : messages.documentMissingFlag;
    await refuseClosed(em, 'document', organization, [documentId]);
    throw await documentMissing(em, organization, documentId, text);
  }
  return createAndLock(
    async () => insertBare(em, tenant.id, organization, documentId),
    async () => {
      const created = await lock(em, organization, documentId);
      if (created === undefined) await refuseClosed(em, 'document', organization, [documentId]);
      return created;
    },
  );
}

async function insertBare(
  em: EntityManager,
  tenantId: string,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<void> {
  await refuseMovedOrReserved(em, organization, documentId);
  await freeInvisibleDocuments(em, organization, [documentId]);
  const { numInsertedOrUpdatedRows: created } = await tablesOf(em)
    .insertInto('document')
    .values({ api_key_id: tenantId, org_id: organization.id, ext_id: documentId, name: documentId })
    .onConflict((conflict) => conflict.columns(['org_id', 'ext_id']).doNothing())
    .executeTakeFirstOrThrow();
  countUsage(em, tenantId, 'documents', Number(created));
}

async function lock(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<ResolvedDocument | undefined> {
  return rowOf(
    em,
    DocumentRow,
    sql`with gate as materialized (
        ${passGates(sql`id_reservation r`)} where r.org_id = ${organization.id} and r.ext_id = ${documentId})
      select d.id from document d where ${gatePassed} and d.org_id = ${organization.id} and d.ext_id = ${documentId}
        and ${isVisible} and ${isOpen('d')} for key share of d`,
  );
}

const DocumentRow = z.strictObject({ id: z.string() });

/** Tombstones documents of deleted folders with these ids, so that the ids can be reused. */
export async function freeInvisibleDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<void> {
  await tablesOf(em)
    .updateTable('document as d')
    .set({ ext_id: null, deleted_at: sql`now()` })
    .where('d.org_id', '=', organization.id)
    .where('d.ext_id', '=', anyOf(documentIds))
    .where((eb) => eb.not(isVisible))
    .execute();
}

/** Current id of a document that moved away from `documentId` in the last 90 days. */
async function movedTo(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<string | undefined> {
  const moved = await tablesOf(em)
    .selectFrom('migration as m')
    .innerJoin('document as d', 'd.id', 'm.document_id')
    .select('d.ext_id')
    .where('m.org_id', '=', organization.id)
    .where('m.old_ext_id', '=', documentId)
    .where('m.flipped_at', '>', sql<Date>`now() - interval '90 days'`)
    .where('m.released_at', 'is', null)
    .where('d.ext_id', 'is not', null)
    .where(isVisible)
    .orderBy('m.job_id', 'desc')
    .limit(sql.lit(1))
    .$narrowType<{ ext_id: string }>()
    .executeTakeFirst();
  return moved?.ext_id;
}

/**
 * Returns NOT_FOUND with `text`. For a moved document it returns `details.movedTo` instead of `text`, whose hint to create
 * the document would split it in two.
 */
export async function documentMissing(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
  text: string,
): Promise<DomainError> {
  const present = await movedTo(em, organization, documentId);
  return present === undefined ? notFound(text) : movedAway(present);
}

/** `documentId`: the document's current id. */
export const movedAway = (documentId: string): DomainError =>
  notFound(messages.documentMissing, { movedTo: documentId });

async function refuseMovedOrReserved(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<void> {
  const present = await movedTo(em, organization, documentId);
  if (present !== undefined) throw movedAway(present);
  await refuseReserved(em, organization, [documentId]);
}

/** Throws FAILED_PRECONDITION while a migration reserves one of the ids, naming the migration of the first of them. */
export async function refuseReserved(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<void> {
  const reservation = await tablesOf(em)
    .selectFrom('id_reservation as r')
    .innerJoin('job as j', 'j.id', 'r.job_id')
    .select('j.public_id')
    .where('r.org_id', '=', organization.id)
    .where('r.ext_id', '=', anyOf(documentIds))
    .orderBy(sql`array_position(${documentIds}::text[], r.ext_id)`)
    .limit(sql.lit(1))
    .executeTakeFirst();
  if (reservation !== undefined) {
    throw failedPrecondition(messages.migrationRunning, { migrationId: reservation.public_id });
  }
}
