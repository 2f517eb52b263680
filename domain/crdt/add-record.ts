import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { findDocument } from '../documents/resolve-document.ts';
import { alreadyExists } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { countUsage } from '../tenancy/usage.ts';
import type { ChangedContent } from './change-content.ts';
import { crdtTypeNumber, type ContentLocation } from './record.ts';
import { lockCrdtLocation, scheduleEvent, type CrdtAddress, type CrdtWriter } from './lock-crdt-location.ts';

/** A record to add: its address, writer, type and content key. */
export interface NewCrdtRecord extends CrdtAddress, CrdtWriter, ContentLocation {}

/** Throws NOT_FOUND for a missing document and ALREADY_EXISTS for an existing record, before the content is built. */
export async function refuseExisting(em: EntityManager, tenant: Tenant, address: CrdtAddress): Promise<void> {
  const organization = await findOrganization(em, tenant, address.organizationId);
  const document = await findDocument(em, organization, address.documentId);
  const found = await tablesOf(em)
    .selectFrom('crdt')
    .select('id')
    .where((row) => row.and({ api_key_id: tenant.id, document_id: document.id, editor_id: address.editorId }))
    .executeTakeFirst();
  if (found !== undefined) throw alreadyExists(messages.crdtExists);
}

/** Writes a record, with the content that `changeContent` returned. */
export async function addRecord(
  em: EntityManager,
  tenant: Tenant,
  request: NewCrdtRecord,
  { state, decoded }: ChangedContent,
): Promise<void> {
  const location = await lockCrdtLocation(em, tenant, request, request);
  const added = await tablesOf(em)
    .insertInto('crdt')
    .values({
      api_key_id: tenant.id,
      org_id: location.organization,
      document_id: location.document,
      editor_id: request.editorId,
      type: crdtTypeNumber(request.type),
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
  if (added === undefined) throw alreadyExists(messages.crdtExists);
  countUsage(em, tenant.id, 'crdtRecords', 1);
  await scheduleEvent(em, tenant, added.id);
}
