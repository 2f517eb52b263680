import { sql } from 'kysely';
import { findDocument } from '../documents/resolve-document.ts';
import { notFound } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changeContent, type ChangedContent, type SentChange } from './change-content.ts';
import { readBase, refuseOtherLocation, type CrdtBase } from './resolve-record.ts';
import type { CrdtType } from './record.ts';
import { lockCrdtLocation, scheduleEvent, type CrdtAddress, type CrdtWriter } from './lock-crdt-location.ts';

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
  refuseOtherLocation(base, sent);
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
  const place = await lockCrdtLocation(em, tenant, sent, sent);
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
    refuseOtherLocation(anew, sent);
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
  return tablesOf(em)
    .selectFrom('crdt')
    .select(['id', 'version', 'state_revision as stateRevision'])
    .where((row) => row.and({ api_key_id: tenant.id, document_id: document, editor_id: editorId }))
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound(messages.crdtMissing));
}

/** The state takes in the log up to the base. `fresh`: nothing was written since, so the decoded content is right as well. */
async function writeContent(
  em: EntityManager,
  tenant: Tenant,
  { id, version }: CrdtBase,
  { state, decoded }: ChangedContent,
  { fresh }: { readonly fresh: boolean },
): Promise<void> {
  const kept = sql`, decoded = ${decoded}, decoded_bytes = ${decoded.length}, decoded_version = version + 1`;
  await sql`with merged as (delete from crdt_update where crdt_id = ${id} and seq <= ${version})
    update crdt set state = ${state.bytes}, state_codec = ${state.codec}, state_revision = state_revision + 1,
      version = version + 1${fresh ? kept : sql``}
    where id = ${id} and api_key_id = ${tenant.id}`.execute(tablesOf(em));
}

async function appendUpdate(
  em: EntityManager,
  tenant: Tenant,
  { id }: LockedRecord,
  update: Uint8Array,
): Promise<void> {
  await sql`with written as (
      update crdt set version = version + 1 where id = ${id} and api_key_id = ${tenant.id} returning id, version)
    insert into crdt_update (crdt_id, seq, api_key_id, bytes)
    select id, version, ${tenant.id}, ${update} from written`.execute(tablesOf(em));
}

/** Who wrote last and when. What a call does not say is not kept from the one before: it would be wrong of this one. */
async function sign(
  em: EntityManager,
  tenant: Tenant,
  record: string,
  writer: string | null,
  { sessionId }: CrdtWriter,
): Promise<void> {
  await tablesOf(em)
    .updateTable('crdt')
    .set({ last_update: sql`now()`, last_updated_by: writer, session_id: sessionId ?? null })
    .where((row) => row.and({ id: record, api_key_id: tenant.id }))
    .execute();
}
