import { findDocument } from '../documents/resolve-document.ts';
import { alreadyExists } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { ChangedContent } from './change-content.ts';
import { crdtTypeNumber, type ContentPlace } from './record.ts';
import { lockCrdtPlace, scheduleEvent, type CrdtAddress, type CrdtWriter } from './write-place.ts';

export interface NewCrdtRecord extends CrdtAddress, CrdtWriter, ContentPlace {}

/** Before the content is made: refuses what would be refused afterwards. */
export async function refuseExisting(em: EntityManager, tenant: Tenant, address: CrdtAddress): Promise<void> {
  const organization = await findOrganization(em, tenant, address.organizationId);
  const document = await findDocument(em, organization, address.documentId);
  const found = await row(
    em,
    'select 1 as one from crdt where api_key_id = $1 and document_id = $2 and editor_id = $3',
    [tenant.id, document.id, address.editorId],
  );
  if (found !== undefined) throw alreadyExists(messages.crdtExists);
}

/** Writes a record whose content is made already. */
export async function addRecord(
  em: EntityManager,
  tenant: Tenant,
  wish: NewCrdtRecord,
  { state, decoded }: ChangedContent,
): Promise<void> {
  const place = await lockCrdtPlace(em, tenant, wish, wish);
  const added = await row<{ id: string }>(
    em,
    `insert into crdt (api_key_id, org_id, document_id, editor_id, type, content_key, state, state_codec, decoded, decoded_bytes, last_updated_by, session_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (document_id, editor_id) do nothing returning id`,
    [
      tenant.id,
      place.organization,
      place.document,
      wish.editorId,
      crdtTypeNumber(wish.type),
      wish.contentKey,
      state.bytes,
      state.codec,
      decoded,
      decoded.length,
      place.writer,
      wish.sessionId ?? null,
    ],
  );
  if (added === undefined) throw alreadyExists(messages.crdtExists);
  await scheduleEvent(em, tenant, added.id);
}
