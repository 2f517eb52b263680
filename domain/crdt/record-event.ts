import { visibleDocument } from '../documents/resolve-document.ts';
import type { NewEvent } from '../events/record-events.ts';
import { crdtTypeName } from './record.ts';

/** What an event of a record is made of. */
export interface EventRow {
  readonly api_key_id: string;
  readonly org_id: string;
  readonly document_id: string;
  readonly organization_ext_id: string;
  readonly document_ext_id: string;
  readonly editor_id: string;
  readonly type: number;
  readonly content_key: string;
  readonly last_update: Date;
}

/**
 * SQL: the record `c` of a row `e` with a `crdt_id`, its organization `o` and, unless it is deleted, its document `d`. Each
 * is looked up for each row: a plan that a connection keeps might else read all records there are.
 */
export const eventSource = `
  cross join lateral (select * from crdt r where r.id = e.crdt_id limit 1) c
  cross join lateral (select p.ext_id from organization p where p.id = c.org_id limit 1) o
  left join lateral (select d.ext_id from document d where d.id = c.document_id and d.ext_id is not null
    and ${visibleDocument} limit 1) d on true`;

/** SQL: the columns of an `EventRow`, of an `eventSource`. */
export const eventColumns = `c.api_key_id, c.org_id, c.document_id, o.ext_id as organization_ext_id, d.ext_id as document_ext_id,
  c.editor_id, c.type, c.content_key, c.last_update`;

/** Says which record was written and when; neither the content, which may be large, nor who wrote it: crdt/get answers both. */
export function eventOf(record: EventRow): NewEvent {
  const { organization_ext_id: organizationId, document_ext_id: documentId } = record;
  return {
    type: 'crdt.update_data',
    organization: record.org_id,
    document: record.document_id,
    channels: [organizationId, documentId],
    payload: {
      organizationId,
      documentId,
      editorId: record.editor_id,
      type: crdtTypeName(record.type),
      contentKey: record.content_key,
      lastUpdate: record.last_update.toISOString(),
    },
    users: [],
  };
}
