import type { PlaceRecords } from '../cascade/place-records.ts';
import type { RecordKind } from '../documents/record-kinds.ts';
import { step, type StepRow } from '../documents/record-step.ts';
import { row } from '../../platform/database/sql.ts';

/** Rows a step. Counting reads an index alone. */
const chunk = { count: 250_000, remove: 5_000 } as const;

const start = ['0', '-1', '0'];

/** SQL: the next rows of documents along the index over document and start, as `next`. */
const nextOfDocuments = (limit: number): string => `
  select document_id, started_at, id from agent_execution
  where document_id = any($1) and (document_id, started_at, id) > (($2::bigint[])[1], ($2::bigint[])[2], ($2::bigint[])[3])
  order by document_id, started_at, id limit ${String(limit)}`;

const counted = `select count(*)::int as records, max(array[document_id, started_at, id])::text[] as last from next`;

/** Executions of agents in a document. */
export const executionRecords: RecordKind = {
  name: 'agentExecutions',
  async count(em, { documents, after }) {
    const statement = `with next as materialized (${nextOfDocuments(chunk.count)}) ${counted}`;
    return step(await row<StepRow>(em, statement, [documents, after ?? start]), chunk.count);
  },
  async remove(em, { tenantId, documents, after }) {
    const statement = `with next as materialized (${nextOfDocuments(chunk.remove)}),
      gone as (delete from agent_execution where id = any(array(select id from next)) and api_key_id = $3) ${counted}`;
    return step(await row<StepRow>(em, statement, [documents, after ?? start, tenantId]), chunk.remove);
  },
};

/** Executions that name an organization, and perhaps no document. */
export const executionsOfPlaces: PlaceRecords = {
  async organizations(em, tenantId, ids) {
    const found = await row<{ records: number }>(
      em,
      `with next as materialized (select id from agent_execution where org_id = any($1) limit ${String(chunk.remove)}),
       gone as (delete from agent_execution where id = any(array(select id from next)) and api_key_id = $2 returning 1)
       select count(*)::int as records from gone`,
      [ids, tenantId],
    );
    return found?.records ?? 0;
  },
};
