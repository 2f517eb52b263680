import { findDocument } from '../documents/resolve-document.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changeContent, type ChangedContent, type SentChange } from './change-content.ts';
import { readBase, refuseOtherPlace, type CrdtBase } from './resolve-record.ts';
import type { CrdtType } from './record.ts';
import { lockCrdtPlace, scheduleEvent, type CrdtAddress, type CrdtWriter } from './write-place.ts';

/** A change as it was sent: other content, or a Yjs update of the present one. */
export interface CrdtChange extends CrdtAddress, CrdtWriter {
  readonly type?: CrdtType | undefined;
  readonly contentKey?: string | undefined;
  readonly change: SentChange;
}

/** What the change is made of: read first, then applied with no connection held, then written by `updateRecord`. */
export async function prepareUpdate(em: EntityManager, tenant: Tenant, sent: CrdtChange): Promise<CrdtBase> {
  const organization = await findOrganization(em, tenant, sent.organizationId);
  const document = await findDocument(em, organization, sent.documentId);
  const base = await readBase(em, tenant, document.id, sent.editorId);
  refuseOtherPlace(base, sent);
  return base;
}

export const applyChange = async (
  tenant: Tenant,
  { type, contentKey, parts }: CrdtBase,
  { change }: CrdtChange,
): Promise<ChangedContent> => changeContent(tenant, { type, contentKey, base: parts, change });

/** A change applied to what was read before. */
export interface AppliedChange {
  readonly base: CrdtBase;
  readonly result: ChangedContent;
}

/**
 * Writes a change. Where others wrote since it was applied, an update is still right, for updates may be merged in any
 * order: it goes into the state when that is the same still, else into the log. Other content is made anew, from what
 * stands now: two calls that replace must not leave a mixture of both.
 */
export async function updateRecord(
  em: EntityManager,
  tenant: Tenant,
  sent: CrdtChange,
  { base, result }: AppliedChange,
): Promise<void> {
  const place = await lockCrdtPlace(em, tenant, sent, sent);
  const present = await lockRecord(em, tenant, place.document, sent.editorId);
  const { change } = sent;
  const known = present.id === base.id;
  if (known && present.version === base.version) {
    await writeContent(em, tenant, base, result, { fresh: true });
  } else if (known && change.kind === 'merge' && present.stateRevision === base.stateRevision) {
    await writeContent(em, tenant, base, result, { fresh: false });
  } else if (known && change.kind === 'merge') {
    await appendUpdate(em, tenant, present, change.update);
  } else {
    const anew = await readBase(em, tenant, place.document, sent.editorId);
    refuseOtherPlace(anew, sent);
    await writeContent(em, tenant, anew, await applyChange(tenant, anew, sent), { fresh: true });
  }
  await sign(em, tenant, present.id, place.writer, sent);
  await scheduleEvent(em, tenant, present.id);
}

type LockedRecord = Pick<CrdtBase, 'id' | 'version' | 'stateRevision'>;

async function lockRecord(
  em: EntityManager,
  tenant: Tenant,
  document: string,
  editorId: string,
): Promise<LockedRecord> {
  const found = await row<LockedRecord>(
    em,
    `select id, version, state_revision as "stateRevision" from crdt
     where api_key_id = $1 and document_id = $2 and editor_id = $3 for no key update`,
    [tenant.id, document, editorId],
  );
  if (found === undefined) throw notFound(messages.crdtMissing);
  return found;
}

/** The state takes in the log up to the base. `fresh`: nothing was written since, so the decoded content is right as well. */
async function writeContent(
  em: EntityManager,
  tenant: Tenant,
  { id, version }: CrdtBase,
  { state, decoded }: ChangedContent,
  { fresh }: { readonly fresh: boolean },
): Promise<void> {
  await rows(
    em,
    `with merged as (delete from crdt_update where crdt_id = $1 and seq <= $2)
     update crdt set state = $3, state_codec = $5, state_revision = state_revision + 1, version = version + 1
       ${fresh ? ', decoded = $6, decoded_bytes = $7, decoded_version = version + 1' : ''}
     where id = $1 and api_key_id = $4`,
    [id, version, state.bytes, tenant.id, state.codec, ...(fresh ? [decoded, decoded.length] : [])],
  );
}

async function appendUpdate(
  em: EntityManager,
  tenant: Tenant,
  { id }: LockedRecord,
  update: Uint8Array,
): Promise<void> {
  await rows(
    em,
    `with written as (update crdt set version = version + 1 where id = $1 and api_key_id = $2 returning id, version)
     insert into crdt_update (crdt_id, seq, api_key_id, bytes) select id, version, $2, $3 from written`,
    [id, tenant.id, Buffer.from(update)],
  );
}

/** Who wrote last and when. What a call does not say is not kept from the one before: it would be wrong of this one. */
async function sign(
  em: EntityManager,
  tenant: Tenant,
  record: string,
  writer: string | null,
  { sessionId }: CrdtWriter,
): Promise<void> {
  await row(
    em,
    `update crdt set last_update = now(), last_updated_by = $3, session_id = $4 where id = $1 and api_key_id = $2`,
    [record, tenant.id, writer, sessionId ?? null],
  );
}
