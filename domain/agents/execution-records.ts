import { sql, type RawBuilder } from 'kysely';
import {
  recordBatch,
  RecordBatchRow,
  type ContainerRecords,
  type RecordKind,
  type RecordRange,
} from '../documents/record-kind.ts';
import { changedBy, rowOf } from '../../platform/database/statements.ts';

/** Rows a step. Counting reads an index alone. */
const chunk = { count: 250_000, remove: 5_000 } as const;

/** The next rows of documents along the index over document and start, as `next`. */
function nextOfDocuments({ documents, after }: RecordRange, limit: number): RawBuilder<unknown> {
  const [document, startedAt, id] = after ?? ['0', '-1', '0'];
  return sql`next as materialized (
    select document_id, started_at, id from agent_execution
    where document_id = any(${documents})
      and (document_id, started_at, id) > (${document}::bigint, ${startedAt}::bigint, ${id}::bigint)
    order by document_id, started_at, id limit ${sql.lit(limit)})`;
}

const counted = sql`select count(*)::int as records, max(array[document_id, started_at, id])::text[] as last from next`;

/** Executions of agents in a document. */
export const executionRecords: RecordKind = {
  name: 'agentExecutions',
  async count(em, range) {
    const statement = sql`with ${nextOfDocuments(range, chunk.count)} ${counted}`;
    return recordBatch(await rowOf(em, RecordBatchRow, statement), chunk.count);
  },
  async remove(em, range) {
    const statement = sql`with ${nextOfDocuments(range, chunk.remove)},
      gone as (delete from agent_execution where id = any(array(select id from next)) and api_key_id = ${range.tenantId}) ${counted}`;
    return recordBatch(await rowOf(em, RecordBatchRow, statement), chunk.remove);
  },
};

/** Executions that name an organization, and perhaps no document. */
export const containerExecutions: ContainerRecords = {
  async organizations(em, tenantId, ids) {
    return changedBy(
      em,
      sql`with next as materialized (
          select id from agent_execution where org_id = any(${ids}) limit ${sql.lit(chunk.remove)})
        delete from agent_execution where id = any(array(select id from next)) and api_key_id = ${tenantId}`,
    );
  },
};
