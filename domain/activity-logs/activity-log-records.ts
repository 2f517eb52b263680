import { sql, type RawBuilder } from 'kysely';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { minBigint } from '../bigint-range.ts';
import { batchOf, RecordBatchRow, type RecordKind, type RecordRange } from '../documents/record-kind.ts';
import { activityLogKind } from './activity-log.ts';

/** Rows per batch. Counting reads one index; removal writes six. */
const batchRows = { count: 250_000, remove: 5_000 } as const;

/** SQL: the next records of the documents, in the order of the index (document, time, id). */
function nextOfDocuments({ documents, after }: RecordRange, limit: number): RawBuilder<unknown> {
  const [document, ts, id] = after ?? ['0', minBigint, '0'];
  return sql`
    select document_id, ts, id from activity
    where document_id = any(${documents}) and (document_id, ts, id) > (${document}::bigint, ${ts}::bigint, ${id}::bigint)
    order by document_id, ts, id limit ${sql.lit(limit)}`;
}

const counted = sql`select count(*)::int as records, max(array[document_id, ts, id])::text[] as last`;

export const activityLogRecords: RecordKind = {
  name: 'activities',
  async count(em, range) {
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`${counted} from (${nextOfDocuments(range, batchRows.count)}) as next`,
    );
    return batchOf(found, batchRows.count);
  },
  /**
   * The deletion repeats the document's condition: a concurrent overwrite may move a record to another document. Added to 0,
   * so that no plan searches the index on documents.
   */
  async remove(em, range) {
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`with next as materialized (${nextOfDocuments(range, batchRows.remove)}),
        gone as (delete from activity where id = any(array(select id from next)) and api_key_id = ${range.tenantId}
            and document_id + 0 = any(${range.documents}) returning id, mentioned),
        named as (select g.id, u.user_id from gone g cross join lateral unnest(g.mentioned) as u (user_id)),
        unnamed as (delete from record_user r using named n
          where r.user_id = n.user_id and r.kind = ${sql.lit(activityLogKind)} and r.record_id = n.id)
        ${counted} from next`,
    );
    return batchOf(found, batchRows.remove);
  },
};
