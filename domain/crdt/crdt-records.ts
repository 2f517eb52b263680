import { sql, type RawBuilder } from 'kysely';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { batchOf, RecordBatchRow, type RecordKind, type RecordRange } from '../documents/record-kind.ts';
import { maxDeletedBytes, storedBytes } from './delete-records.ts';

/** Max rows per batch. Counting reads one index; a removed record may have megabytes. */
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

const records = sql`(select count(*)::int from next)`;
const last = sql`(select array[document_id::text, editor_id] from next order by document_id desc, editor_id desc limit 1)`;

export const collaborativeRecords: RecordKind = {
  name: 'crdt',
  async count(em, range) {
    const next = nextOfDocuments(range, batchRows.count);
    const statement = sql`with next as materialized (${next}) select ${records} as records, ${last} as last`;
    return batchOf(await onlyRowOf(em, RecordBatchRow, statement), batchRows.count);
  },
  async remove(em, range) {
    const own = sql`api_key_id = ${range.tenantId}`;
    const ids = sql`any(array(select id from next))`;
    const found = nextOfDocuments(range, batchRows.remove + 1, sql`, id, ${storedBytes} as bytes`);
    // The byte limit may end a batch early. A row beyond the limit shows that more batches follow.
    const statement = sql`with found as materialized (
        select c.*, row_number() over o as position, sum(bytes) over o as upto from (${found}) c
        window o as (order by document_id, editor_id rows unbounded preceding)),
      next as materialized (
        select document_id, editor_id, id from found
        where position = 1 or (position <= ${sql.lit(batchRows.remove)} and upto <= ${sql.lit(maxDeletedBytes)})),
      events as (delete from crdt_event where crdt_id = ${ids} and ${own}),
      log as (delete from crdt_update where crdt_id = ${ids} and ${own}),
      gone as (delete from crdt where id = ${ids} and ${own})
      select ${records} as records, case when (select count(*) from found) > ${records} then ${last} end as last`;
    return onlyRowOf(em, RecordBatchRow, statement);
  },
};
