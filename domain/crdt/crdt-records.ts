import type { RecordKind } from '../documents/record-kinds.ts';
import { step, type StepRow } from '../documents/record-step.ts';
import { row } from '../../platform/database/sql.ts';

/** Rows a step. Counting reads an index alone; a record may have megabytes. */
const chunk = { count: 250_000, remove: 200 } as const;

const start = ['0', ''];

/** SQL: the next rows of documents along the index over document and editor, as `next`. */
const nextOfDocuments = (limit: number, also = ''): string => `
  select document_id, editor_id${also} from crdt
  where document_id = any($1) and (document_id, editor_id) > (($2::text[])[1]::bigint, ($2::text[])[2])
  order by document_id, editor_id limit ${String(limit)}`;

const counted = `select (select count(*)::int from next) as records,
  (select array[document_id::text, editor_id] from next order by document_id desc, editor_id desc limit 1) as last`;

/** Collaborative data of a document. */
export const crdtRecords: RecordKind = {
  name: 'crdt',
  async count(em, { documents, after }) {
    const statement = `with next as materialized (${nextOfDocuments(chunk.count)}) ${counted}`;
    return step(await row<StepRow>(em, statement, [documents, after ?? start]), chunk.count);
  },
  async remove(em, { tenantId, documents, after }) {
    const statement = `with next as materialized (${nextOfDocuments(chunk.remove, ', id')}),
      events as (delete from crdt_event where crdt_id = any(array(select id from next)) and api_key_id = $3),
      log as (delete from crdt_update where crdt_id = any(array(select id from next)) and api_key_id = $3),
      gone as (delete from crdt where id = any(array(select id from next)) and api_key_id = $3) ${counted}`;
    return step(await row<StepRow>(em, statement, [documents, after ?? start, tenantId]), chunk.remove);
  },
};
