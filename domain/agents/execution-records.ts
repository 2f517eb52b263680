import { sql, type RawBuilder } from 'kysely';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { deleteNext } from '../delete-next.ts';
import {
  batchOf,
  RecordBatchRow,
  type ContainerRecords,
  type RecordKind,
  type RecordRange,
} from '../documents/record-kind.ts';

/** Rows per batch. Counting reads one index. */
const batchRows = { count: 250_000, remove: 5_000 } as const;

/** SQL: `next`, the next rows of the documents in the order of the index (document, start). */
function nextOfDocuments({ documents, after }: RecordRange, limit: number): RawBuilder<unknown> {
  const [document, startedAt, id] = after ?? ['0', '-1', '0'];
  return sql`next as materialized (
    select document_id, started_at, id from agent_execution
    where document_id = any(${documents})
      and (document_id, started_at, id) > (${document}::bigint, ${startedAt}::bigint, ${id}::bigint)
    order by document_id, started_at, id limit ${sql.lit(limit)})`;
}

const counted = sql`select count(*)::int as records, max(array[document_id, started_at, id])::text[] as last from next`;

export const executionRecords: RecordKind = {
  name: 'agentExecutions',
  async count(em, range) {
    const statement = sql`with ${nextOfDocuments(range, batchRows.count)} ${counted}`;
    return batchOf(await onlyRowOf(em, RecordBatchRow, statement), batchRows.count);
  },
  async remove(em, range) {
    const statement = sql`with ${nextOfDocuments(range, batchRows.remove)},
      gone as (delete from agent_execution where id = any(array(select id from next)) and api_key_id = ${range.tenantId}) ${counted}`;
    return batchOf(await onlyRowOf(em, RecordBatchRow, statement), batchRows.remove);
  },
};

/** SQL: added to 0, so that no plan searches the index on keys. */
const isOfTenant = (tenantId: string): RawBuilder<unknown> => sql`api_key_id + 0 = ${tenantId}`;

/** Executions of an organization, with or without a document. */
export const containerExecutions: ContainerRecords = {
  async organizations(em, tenantId, ids) {
    return deleteNext(
      em,
      sql`with next as materialized (
          select id from agent_execution where org_id = any(${ids}) and ${isOfTenant(tenantId)} limit ${sql.lit(batchRows.remove)}),
        deleted as (delete from agent_execution where id = any(array(select id from next)))`,
    );
  },
};
