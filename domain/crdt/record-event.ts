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
  readonly last_update: Date | string;
}

/** SQL: the columns of an `EventRow`, of `crdt c`, its organization `o` and its document `d`. */
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
      lastUpdate: new Date(record.last_update).toISOString(),
    },
    users: [],
  };
}
