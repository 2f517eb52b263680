import { sql, type RawBuilder } from 'kysely';
import { rowOf } from '../../platform/database/statements.ts';
import { batchOf, RecordBatchRow, type RecordKind, type RecordRange } from '../documents/record-kind.ts';

/** Rows per batch. Counting reads one index; a removed record may have megabytes. */
const batchRows = { count: 250_000, remove: 200 } as const;

/** The next rows of the documents in the order of the index (document, editor). */
function nextOfDocuments(
  { documents, after }: RecordRange,
  limit: number,
  also = sql``,
): RawBuilder<unknown> {
  const [document, editor] = after ?? ['0', ''];
  return sql`
    select document_id, editor_id${also} from crdt
    where document_id = any(${documents}) and (document_id, editor_id) > (${document}::bigint, ${editor}::text)
    order by document_id, editor_id limit ${sql.lit(limit)}`;
}

const counted = sql`select (select count(*)::int from next) as records,
  (select array[document_id::text, editor_id] from next order by document_id desc, editor_id desc limit 1) as last`;

export const crdtRecords: RecordKind = {
  name: 'crdt',
  async count(em, range) {
    const statement = sql`with next as materialized (${nextOfDocuments(range, batchRows.count)}) ${counted}`;
    return batchOf(await rowOf(em, RecordBatchRow, statement), batchRows.count);
  },
  async remove(em, range) {
    const own = sql`api_key_id = ${range.tenantId}`;
    const statement = sql`with next as materialized (${nextOfDocuments(range, batchRows.remove, sql`, id`)}),
      events as (delete from crdt_event where crdt_id = any(array(select id from next)) and ${own}),
      log as (delete from crdt_update where crdt_id = any(array(select id from next)) and ${own}),
      gone as (delete from crdt where id = any(array(select id from next)) and ${own}) ${counted}`;
    return batchOf(await rowOf(em, RecordBatchRow, statement), batchRows.remove);
  },
};
