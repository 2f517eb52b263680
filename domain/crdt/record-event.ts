import { sql } from 'kysely';
import { z } from 'zod';
import { isVisible } from '../documents/resolve-document.ts';
import type { NewEvent } from '../events/record-events.ts';
import { crdtTypeName } from './record.ts';

/** What an event of a record is made of. What has been deleted has no id any more. */
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
 * The record `c` of a row `e` with a `crdt_id`, its organization `o` and, unless it is deleted, its document `d`. Each is
 * looked up for each row: a plan that a connection keeps might else read all records there are.
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
 * Says which record was written and when; neither the content, which may be large, nor who wrote it: crdt/get answers both.
 * What was deleted meanwhile has nothing to tell.
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
