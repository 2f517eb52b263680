import { done, failed, type Outcomes } from '../batch.ts';
import type { ResolvedDocument } from '../documents/resolve-document.ts';
import { recordEvents } from '../events/record-events.ts';
import { createJob, type CreatedJob } from '../jobs/create-job.ts';
import { messages } from '../messages.ts';
import type { ResolvedOrganization } from '../organizations/resolve-organization.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { eventColumns, eventOf, eventSource, type EventRow } from './record-event.ts';

export interface CrdtDeletion {
  readonly outcomes: Outcomes;
  readonly deletedCount: number;
  /** Removes what goes beyond one call. */
  readonly job: CreatedJob | undefined;
}

/** Records that one call removes by itself. */
const mostDeleted = 1_000;

/** Removes the records of some editors, or all of a document. A write that was not announced yet is announced now. */
export async function deleteRecords(
  em: EntityManager,
  tenant: Tenant,
  place: {
    readonly organization: ResolvedOrganization & { organizationId: string };
    readonly document: ResolvedDocument;
  },
  editorIds: readonly string[] | undefined,
): Promise<CrdtDeletion> {
  const matching = await rows<{ id: string; editor_id: string }>(
    em,
    `select id, editor_id from crdt where api_key_id = $1 and document_id = $2
     ${editorIds === undefined ? '' : 'and editor_id = any($4)'} order by editor_id limit $3 for update`,
    [tenant.id, place.document.id, mostDeleted + 1, ...(editorIds === undefined ? [] : [editorIds])],
  );
  const removed = matching.slice(0, mostDeleted);
  const ids = removed.map(({ id }) => id);
  await announceWaiting(em, tenant, ids);
  await removeRecords(em, tenant.id, ids);
  const gone = new Set(removed.map(({ editor_id }) => editor_id));
  const asked = editorIds ?? [...gone];
  const more = matching.length > mostDeleted;
  return {
    outcomes: new Map(
      asked.map((id) => [
        id,
        gone.has(id) ? done('CRDT data deleted.') : failed('not-found', messages.crdtMissing),
      ]),
    ),
    deletedCount: removed.length,
    job: more ? await createRemainder(em, tenant, place) : undefined,
  };
}

async function announceWaiting(em: EntityManager, tenant: Tenant, ids: readonly string[]): Promise<void> {
  if (!tenant.switches.webhooks) return;
  const waiting = await rows<EventRow>(
    em,
    `select ${eventColumns} from crdt_event e ${eventSource} where e.crdt_id = any($1) order by e.crdt_id for update of e`,
    [ids],
  );
  await recordEvents(em, tenant.id, waiting.map(eventOf));
}

/** Removes records by surrogate key, with all that hangs on them. */
export async function removeRecords(
  em: EntityManager,
  tenantId: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await rows(
    em,
    `with events as (delete from crdt_event where crdt_id = any($2) and api_key_id = $1),
     log as (delete from crdt_update where crdt_id = any($2) and api_key_id = $1)
     delete from crdt where id = any($2) and api_key_id = $1`,
    [tenantId, ids],
  );
}

/** What a job removes of records: those of a document that existed at the call. */
export interface RemainingRecords {
  readonly document: string;
  readonly upTo: string;
}

async function createRemainder(
  em: EntityManager,
  tenant: Tenant,
  { organization, document }: Parameters<typeof deleteRecords>[2],
): Promise<CreatedJob> {
  const last = await row<{ id: string }>(
    em,
    `select last_value as id from pg_sequences where schemaname = current_schema() and sequencename = 'crdt_id_seq'`,
  );
  const selection: RemainingRecords = { document: document.id, upTo: last?.id ?? '0' };
  return createJob(em, tenant, {
    kind: 'cascade',
    organization,
    request: { organizations: [], folders: [], documents: [], records: { of: 'crdt', selection } },
  });
}

/** Removes the next of them, few enough for one short transaction; answers how many, 0 at the end. */
export async function removeRemainingRecords(
  em: EntityManager,
  tenantId: string,
  { document, upTo }: RemainingRecords,
): Promise<number> {
  const next = await rows<{ id: string }>(
    em,
    `select id from crdt where document_id = $1 and api_key_id = $2 and id <= $3 order by editor_id limit ${String(mostDeleted)} for update`,
    [document, tenantId, upTo],
  );
  await removeRecords(
    em,
    tenantId,
    next.map(({ id }) => id),
  );
  return next.length;
}
