import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { findDocument } from '../documents/resolve-document.ts';
import { notFound, StalePreparation } from '../errors.ts';
import { messages } from '../messages.ts';
import { findOrganization } from '../organizations/resolve-organization.ts';
import { tablesOf } from '../tables.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { refusingFencedFirst } from '../users/refusing-fenced-first.ts';
import { changeContent, type ChangedContent, type SentChange } from './change-content.ts';
import { isCrdtLeftToJob } from './left-to-job.ts';
import { findBase, readBase, refuseOtherLocation, type CrdtBase, type FoundBase } from './resolve-record.ts';
import type { CrdtType } from './record.ts';
import {
  lockCrdtLocation,
  usersOfWrite,
  scheduleEvent,
  type CrdtAddress,
  type CrdtWriter,
} from './lock-crdt-location.ts';

/** A requested change of one record. */
export interface CrdtChange extends CrdtAddress, CrdtWriter {
  readonly type?: CrdtType | undefined;
  readonly contentKey?: string | undefined;
  readonly change: SentChange;
}

/**
 * Finds the base of a change. `loadBase` then reads its content, `applyChange` runs without a connection, and
 * `updateRecord` writes the result.
 */
export async function prepareUpdate(em: EntityManager, tenant: Tenant, sent: CrdtChange): Promise<FoundBase> {
  return refusingFencedFirst(em, tenant, usersOfWrite(sent), async () => {
    const organization = await findOrganization(em, tenant, sent.organizationId);
    const document = await findDocument(em, organization, sent.documentId);
    const base = await findBase(em, tenant, document.id, sent.editorId);
    refuseOtherLocation(base, sent);
    return base;
  });
}

/** A change applied to its base. */
export interface AppliedChange {
  readonly base: CrdtBase;
  readonly result: ChangedContent;
  /** How long that took, with the wait for a process of Yjs. */
  readonly tookMs: number;
}

export async function applyChange(tenant: Tenant, base: CrdtBase, sent: CrdtChange): Promise<AppliedChange> {
  const began = performance.now();
  const result = await changed(tenant, base, sent);
  return { base, result, tookMs: performance.now() - began };
}

const changed = async (
  tenant: Tenant,
  { id, type, contentKey, parts }: CrdtBase,
  { change }: CrdtChange,
): Promise<ChangedContent> => changeContent(tenant, { recordId: id, type, contentKey, base: parts, change });

/** A slower replacement is first repeated without the row lock: writers that wait for the lock hold connections. */
const maxLockedMs = 100;

/**
 * Writes a change. Yjs updates merge in any order. An update is merged into the state unless a concurrent write has
 * replaced it; then it is appended to the log. New content is applied again to the current record, because two
 * replacements must not mix. Throws StalePreparation when that may take long, unless this attempt is the last.
 */
export async function updateRecord(
  em: EntityManager,
  tenant: Tenant,
  sent: CrdtChange,
  { base, result, tookMs }: AppliedChange,
  isLast = false,
): Promise<void> {
  const location = await lockCrdtLocation(em, tenant, sent, sent);
  const present = await lockRecord(em, tenant, location.document, sent.editorId);
  const { change } = sent;
  const known = present.id === base.id;
  if (known && present.version === base.version) {
    await writeContent(em, tenant, base, result, { fresh: true });
  } else if (known && change.kind === 'merge' && present.stateRevision === base.stateRevision) {
    await writeContent(em, tenant, base, result, { fresh: false });
  } else if (known && change.kind === 'merge') {
    await appendUpdate(em, tenant, present, change.update, result);
  } else if (tookMs > maxLockedMs && !isLast) {
    throw new StalePreparation();
  } else {
    const reread = await readBase(em, tenant, location.document, sent.editorId);
    refuseOtherLocation(reread, sent);
    await writeContent(em, tenant, reread, await changed(tenant, reread, sent), { fresh: true });
  }
  await recordLastWrite(em, tenant, present.id, location.writer, sent);
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
    .selectFrom('crdt as c')
    .select(['c.id', 'c.version', 'c.state_revision as stateRevision'])
    .where((row) =>
      row.and({ 'c.api_key_id': tenant.id, 'c.document_id': document, 'c.editor_id': editorId }),
    )
    .where(sql<boolean>`not ${isCrdtLeftToJob}`)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound(messages.crdtMissing));
}

/** Merges the log up to the base into the state. `fresh`: no write since the base, so the decoded content is current. */
async function writeContent(
  em: EntityManager,
  tenant: Tenant,
  { id, version }: CrdtBase,
  { state, decoded }: ChangedContent,
  { fresh }: { readonly fresh: boolean },
): Promise<void> {
  const kept = fresh
    ? sql`decoded = ${decoded}, decoded_bytes = ${decoded.length}, decoded_version = version + 1`
    : atLeast(decoded);
  await sql`with merged as (delete from crdt_update where crdt_id = ${id} and seq <= ${version})
    update crdt set state = ${state.bytes}, state_codec = ${state.codec}, state_revision = state_revision + 1,
      version = version + 1, ${kept}
    where id = ${id} and api_key_id = ${tenant.id}`.execute(tablesOf(em));
}

/** SQL: a stale record counts at least these bytes of content: its compressed state may be a fraction of them. */
const atLeast = (decoded: ChangedContent['decoded']) =>
  sql`decoded_bytes = greatest(decoded_bytes, ${decoded.length}::int)`;

async function appendUpdate(
  em: EntityManager,
  tenant: Tenant,
  { id }: LockedRecord,
  update: Uint8Array,
  { decoded }: ChangedContent,
): Promise<void> {
  await sql`with written as (
      update crdt set version = version + 1, ${atLeast(decoded)} where id = ${id} and api_key_id = ${tenant.id} returning id, version)
    insert into crdt_update (crdt_id, seq, api_key_id, bytes)
    select id, version, ${tenant.id}, ${update} from written`.execute(tablesOf(em));
}

/** Stores writer and time. A member not sent is cleared: the previous value belongs to another write. */
async function recordLastWrite(
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
