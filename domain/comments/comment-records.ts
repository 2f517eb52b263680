import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { changedBy, onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import {
  batchOf,
  RecordBatchRow,
  type ContainerRecords,
  type RecordCursor,
  type RecordKind,
  type RecordRange,
} from '../documents/record-kind.ts';
import { removeDependentsAndNotifications } from './remove-thread-notifications.ts';
import { removeFromAudience } from './remove-threads.ts';

/** Threads per batch, and rows of each table that one transaction removes. */
const chunk = { count: 250_000, remove: 500, rows: 5_000 } as const;

const first: RecordCursor = ['0', '-1', '0'];

/** SQL: the next threads of documents, by thread_document. */
function nextOfDocuments({ tenantId, documents, after }: RecordRange, limit: number): RawBuilder<unknown> {
  const [document, updatedAt, id] = after ?? first;
  return sql`
    select id, array[document_id, updated_at, id] as position, comment_count, reaction_count from thread
    where document_id = any(${documents}) and (document_id, updated_at, id) > (${document}::bigint, ${updatedAt}::bigint, ${id}::bigint)
      and api_key_id + 0 = ${tenantId}
    order by document_id, updated_at, id limit ${sql.lit(limit)}`;
}

const CountedRow = RecordBatchRow.extend({ threads: z.number() });

/** Counts along the index of threads; `counted` is the SQL of the number that one thread adds. */
const counting =
  (counted: RawBuilder<unknown>): RecordKind['count'] =>
  async (em, range) => {
    const { records, threads, last } = await onlyRowOf(
      em,
      CountedRow,
      sql`select coalesce(sum(${counted}), 0)::float8 as records, max(position)::text[] as last, count(*)::int as threads
        from (${nextOfDocuments(range, chunk.count)}) as next`,
    );
    return { ...batchOf({ records: threads, last }, chunk.count), records };
  };

const NextRow = z.strictObject({ id: z.string(), position: z.array(z.string()) });

/** Annotations with their comments, reactions, users and notifications, and the read marks of their documents. */
export const threadRecords: RecordKind = {
  name: 'commentAnnotations',
  count: counting(sql`1`),
  async remove(em, range) {
    const { tenantId, documents, after } = range;
    const views = await changedBy(
      em,
      sql`delete from thread_view where ctid = any(array(
          select ctid from thread_view where document_id = any(${documents}) and api_key_id + 0 = ${tenantId}
          limit ${sql.lit(chunk.rows)})) and document_id = any(${documents})`,
    );
    if (views > 0) return { records: views, last: after ?? first };
    const next = await rowsOf(
      em,
      NextRow,
      sql`select id, position::text[] from (${nextOfDocuments(range, chunk.remove)} for update) as next`,
    );
    const threads = next.map(({ id }) => id);
    const { rows, more } = await removeDependentsAndNotifications(em, tenantId, threads, chunk.rows);
    // Rows of these threads remain, so the next batch starts with them.
    if (more) return { records: rows, last: after ?? first };
    await changedBy(em, sql`delete from thread where id = any(${threads}::bigint[])`);
    return {
      records: rows + next.length,
      last: next.length < chunk.remove ? null : (next.at(-1)?.position ?? null),
    };
  },
};

/** A kind of record that migrations count, and that is removed with its thread. */
const below = (name: string, counted: RawBuilder<unknown>): RecordKind => ({
  name,
  count: counting(counted),
  remove: async () => Promise.resolve({ records: 0, last: null }),
});

export const commentRecords = below('comments', sql`comment_count`);
export const reactionRecords = below('reactions', sql`reaction_count`);

/** Organizations in the audience of threads of other organizations. */
export const containerAudience: ContainerRecords = {
  organizations: async (em, tenantId, ids) => removeFromAudience(em, tenantId, ids, chunk.rows),
};
