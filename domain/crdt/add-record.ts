import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { findDocument } from '../documents/resolve-document.ts';
import { alreadyExists } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import type { ChangedContent } from './change-content.ts';
import { removeLeftToJob } from './delete-records.ts';
import { isCrdtLeftToJob } from './left-to-job.ts';
import { crdtTypeNumbers, type ContentLocation } from './record.ts';
import {
  lockCrdtLocation,
  usersOfWrite,
  scheduleEvent,
  type CrdtAddress,
  type CrdtWriter,
  type LockedCrdtLocation,
} from './lock-crdt-location.ts';

/** A record to add: its address, writer, type and content key. */
export interface NewCrdtRecord extends CrdtAddress, CrdtWriter, ContentLocation {}

/** Throws NOT_FOUND for a missing document and ALREADY_EXISTS for an existing record, before the content is built. */
export async function refuseExisting(
  em: EntityManager,
  tenant: Tenant,
  address: CrdtAddress & CrdtWriter,
): Promise<void> {
  await refusingFencedFirst(em, tenant, usersOfWrite(address), async () => {
    const organization = await findOrganization(em, tenant, address.organizationId);
    const document = await findDocument(em, organization, address.documentId);
    const found = await tablesOf(em)
      .selectFrom('crdt as c')
      .select('c.id')
      .where((row) =>
        row.and({ 'c.api_key_id': tenant.id, 'c.document_id': document.id, 'c.editor_id': address.editorId }),
      )
      .where(sql<boolean>`not ${isCrdtLeftToJob}`)
      .executeTakeFirst();
    if (found !== undefined) throw alreadyExists(messages.crdtExists);
  });
}

/**
 * Writes a record, with the content that `changeContent` returned. First removes the editor's former record when a job is
 * still to remove it.
 */
export async function addRecord(
  em: EntityManager,
  tenant: Tenant,
  request: NewCrdtRecord,
  content: ChangedContent,
): Promise<void> {
  const location = await lockCrdtLocation(em, tenant, request, request);
  let added = await insert(em, tenant, location, request, content);
  if (added === undefined) {
    await removeLeftToJob(em, tenant, location.document, request.editorId);
    added = await insert(em, tenant, location, request, content);
  }
  if (added === undefined) throw alreadyExists(messages.crdtExists);
  countUsage(em, tenant.id, 'crdtRecords', 1);
  await scheduleEvent(em, tenant, added.id);
}

/** Returns the row's surrogate key; undefined when the editor has a record. */
async function insert(
  em: EntityManager,
  tenant: Tenant,
  location: LockedCrdtLocation,
  request: NewCrdtRecord,
  { state, decoded }: ChangedContent,
): Promise<{ readonly id: string } | undefined> {
  return tablesOf(em)
    .insertInto('crdt')
    .values({
      api_key_id: tenant.id,
      org_id: location.organization,
      document_id: location.document,
      editor_id: request.editorId,
      type: crdtTypeNumbers[request.type],
      content_key: request.contentKey,
      state: sql`${state.bytes}`,
      state_codec: state.codec,
      decoded: sql`${decoded}`,
      decoded_bytes: decoded.length,
      last_updated_by: location.writer,
      session_id: request.sessionId ?? null,
    })
    .onConflict((conflict) => conflict.columns(['document_id', 'editor_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
}
