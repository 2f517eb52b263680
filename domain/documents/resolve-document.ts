import { failedPrecondition, notFound, type DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import { quickRow, row } from '../../platform/database/sql.ts';
import { throughGate } from './flip-gate.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** A document as statements name it. */
export interface ResolvedDocument {
  readonly id: string;
}

/**
 * A document in a deleted folder is gone from the moment the folder is, though its own row is removed later. Null as well
 * for a document outside folders. A value, not `exists`: that the planner might answer by reading every folder there is.
 */
export const visibleDocument = `((select f.deleted_at from folder f where f.id = d.folder_id) is null)`;

/** For a read. Throws NOT_FOUND, with `details.movedTo` when the document has another id now. */
export async function findDocument(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<ResolvedDocument> {
  const found = await quickRow<ResolvedDocument>(
    em,
    `select d.id from document d where d.org_id = $1 and d.ext_id = $2 and ${visibleDocument}`,
    [organization.id, documentId],
  );
  if (found === undefined)
    throw await documentMissing(em, organization, documentId, messages.documentMissing);
  return found;
}

/**
 * For a write: locks the row FOR KEY SHARE, so that a migration waits for this transaction, and what it writes is under
 * the new id afterwards. With `create` given (the operation has the flag `createDocument`), makes it when that is true,
 * but never under an id that a migration has moved away or has reserved.
 */
export async function lockDocument(
  em: EntityManager,
  tenantId: string,
  organization: ResolvedOrganization,
  documentId: string,
  create?: boolean,
): Promise<ResolvedDocument> {
  const found = await lock(em, organization, documentId);
  if (found !== undefined) return found;
  if (create !== true) {
    const text = create === undefined ? messages.documentMissing : messages.documentMissingFlag;
    throw await documentMissing(em, organization, documentId, text);
  }
  await refuseMovedOrReserved(em, organization, documentId);
  await freeInvisibleDocuments(em, organization, [documentId]);
  await row(
    em,
    `insert into document (api_key_id, org_id, ext_id, name) values ($1, $2, $3, $3)
     on conflict (org_id, ext_id) do nothing`,
    [tenantId, organization.id, documentId],
  );
  const made = await lock(em, organization, documentId);
  if (made === undefined) throw await documentMissing(em, organization, documentId, messages.documentMissing);
  return made;
}

async function lock(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<ResolvedDocument | undefined> {
  return row<ResolvedDocument>(
    em,
    `with ${throughGate.table}
     select d.id from document d where ${throughGate.condition} and d.org_id = $1 and d.ext_id = $2 and ${visibleDocument}
     for key share of d`,
    [organization.id, documentId],
  );
}

/** Tombstones documents that a deleted folder left behind under these ids, so that the ids are free; says whether there were any. */
export async function freeInvisibleDocuments(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentIds: readonly string[],
): Promise<boolean> {
  const freed = await row(
    em,
    `update document d set ext_id = null, deleted_at = now()
     where d.org_id = $1 and d.ext_id = any($2) and not ${visibleDocument} returning d.id`,
    [organization.id, documentIds],
  );
  return freed !== undefined;
}

/** The id that a document, moved away from `documentId` in the last 90 days, has now. */
async function movedTo(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<string | undefined> {
  const moved = await row<{ ext_id: string }>(
    em,
    `select d.ext_id from migration m join document d on d.id = m.document_id
     where m.org_id = $1 and m.old_ext_id = $2 and m.flipped_at > now() - interval '90 days' and m.released_at is null
       and d.ext_id is not null and ${visibleDocument}
     order by m.job_id desc limit 1`,
    [organization.id, documentId],
  );
  return moved?.ext_id;
}

/**
 * NOT_FOUND with `text`. A document that has moved gets no hint to add it, which would split it in two: only where it is now,
 * as `details.movedTo`.
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

/** `documentId`: the document's present id. */
export const movedAway = (documentId: string): DomainError =>
  notFound(messages.documentMissing, { movedTo: documentId });

async function refuseMovedOrReserved(
  em: EntityManager,
  organization: ResolvedOrganization,
  documentId: string,
): Promise<void> {
  const present = await movedTo(em, organization, documentId);
  if (present !== undefined) throw movedAway(present);
  const reservation = await row<{ public_id: string }>(
    em,
    `select j.public_id from id_reservation r join job j on j.id = r.job_id where r.org_id = $1 and r.ext_id = $2`,
    [organization.id, documentId],
  );
  if (reservation !== undefined) {
    throw failedPrecondition(messages.migrationRunning, { migrationId: reservation.public_id });
  }
}
