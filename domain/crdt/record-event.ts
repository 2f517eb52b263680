import { sql } from 'kysely';
import { z } from 'zod';
import { isVisible } from '../documents/resolve-document.ts';
import type { NewEvent } from '../events/record-events.ts';
import { crdtTypeName } from './record.ts';

/** The columns of an event. A deleted organization or document has a null id. */
export const EventRow = z.strictObject({
  api_key_id: z.string(),
  org_id: z.string(),
  document_id: z.string(),
  organization_ext_id: z.string().nullable(),
  document_ext_id: z.string().nullable(),
  editor_id: z.string(),
  type: z.number(),
  content_key: z.string(),
  last_update: z.date(),
});

/**
 * SQL: the record `c` of a row `e` with a `crdt_id`, its organization `o` and, unless deleted, its document `d`. Lateral
 * joins look up each row by key; otherwise a cached plan may scan whole tables.
 */
export const eventSource = sql`
  cross join lateral (select * from crdt r where r.id = e.crdt_id limit 1) c
  cross join lateral (select p.ext_id from organization p where p.id = c.org_id limit 1) o
  left join lateral (select d.ext_id from document d where d.id = c.document_id and d.ext_id is not null
    and ${isVisible} limit 1) d on true`;

/** The columns of an `EventRow`, of an `eventSource`. */
export const eventColumns = sql`c.api_key_id, c.org_id, c.document_id, o.ext_id as organization_ext_id, d.ext_id as document_ext_id,
  c.editor_id, c.type, c.content_key, c.last_update`;

/**
 * The payload names the record and the time of its write. It omits content and writer, which crdt/get returns. Records
 * of deleted documents emit no event.
 */
export const eventsOf = (records: readonly z.infer<typeof EventRow>[]): NewEvent[] =>
  records.flatMap((record) => {
    const { organization_ext_id: organizationId, document_ext_id: documentId } = record;
    if (organizationId === null || documentId === null) return [];
    const payload = {
      organizationId,
      documentId,
      editorId: record.editor_id,
      type: crdtTypeName(record.type),
      contentKey: record.content_key,
      lastUpdate: record.last_update.toISOString(),
    };
    return {
      type: 'crdt.update_data',
      organization: record.org_id,
      document: record.document_id,
      channels: [organizationId, documentId],
      payload,
      users: [],
    };
  });
