import { sql, type RawBuilder } from 'kysely';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { batchOf, RecordBatchRow, type RecordKind, type RecordRange } from '../documents/record-kind.ts';
import { recordingKind } from './recording.ts';

/** Rows per batch. Counting reads one index. */
const batchRows = { count: 250_000, remove: 5_000 } as const;

/** SQL: the next recordings of documents, by recording_document. */
function nextOfDocuments({ documents, after }: RecordRange, limit: number): RawBuilder<unknown> {
  const [document, updatedAt, id] = after ?? ['0', '-1', '0'];
  return sql`
    select document_id, updated_at, id from recording
    where document_id = any(${documents}) and (document_id, updated_at, id) > (${document}::bigint, ${updatedAt}::bigint, ${id}::bigint)
    order by document_id, updated_at, id limit ${sql.lit(limit)}`;
}

const counted = sql`select count(*)::int as records, max(array[document_id, updated_at, id])::text[] as last`;

export const recordingRecords: RecordKind = {
  name: 'recordings',
  async count(em, range) {
    const statement = sql`${counted} from (${nextOfDocuments(range, batchRows.count)}) as next`;
    return batchOf(await onlyRowOf(em, RecordBatchRow, statement), batchRows.count);
  },
  async remove(em, range) {
    const statement = sql`with next as materialized (${nextOfDocuments(range, batchRows.remove)}),
      gone as (delete from recording where id = any(array(select id from next)) and api_key_id = ${range.tenantId}
        returning id, mentioned),
      named as (select g.id, u.user_id from gone g cross join lateral unnest(g.mentioned) as u (user_id)),
      unnamed as (delete from record_user r using named n
        where r.user_id = n.user_id and r.kind = ${sql.lit(recordingKind)} and r.record_id = n.id)
      ${counted} from next`;
    return batchOf(await onlyRowOf(em, RecordBatchRow, statement), batchRows.remove);
  },
};
