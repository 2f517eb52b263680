import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { onlyRowOf, rowsOf } from '../../platform/database/statements.ts';
import { minBigint } from '../bigint-range.ts';
import { deleteNext } from '../delete-next.ts';
import {
  batchOf,
  RecordBatchRow,
  type RecordCursor,
  type ContainerRecords,
  type RecordKind,
  type RecordRange,
} from '../documents/record-kind.ts';
import { removeNextNotices } from '../notices/remove-notices.ts';
import { deleteNextDependents, removeNotifications } from './remove-notifications.ts';

/** Rows per batch. Counting is an index-only scan; deleting a notification also deletes its recipients. */
const chunk = { count: 250_000, remove: 1_000 } as const;

const first: RecordCursor = ['0', minBigint, '0'];

/** The next notifications of documents, by the index over document, time and key. */
function nextOfDocuments(
  { tenantId, documents, after }: RecordRange,
  limit: number,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [document, ts, id] = after ?? first;
  return sql`
    select ${columns} from notification
    where document_id = any(${documents}) and (document_id, ts, id) > (${document}::bigint, ${ts}::bigint, ${id}::bigint)
      and api_key_id = ${tenantId}
    order by document_id, ts, id limit ${sql.lit(limit)}`;
}

const NextRow = z.strictObject({ id: z.string(), audience: z.string(), position: z.array(z.string()) });
const nextColumns = sql`id, audience, array[document_id, ts, id]::text[] as position`;

export const notificationRecords: RecordKind = {
  name: 'notifications',
  async count(em, range) {
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`select count(*)::int as records, max(array[document_id, ts, id])::text[] as last
        from (${nextOfDocuments(range, chunk.count, sql`document_id, ts, id`)}) as next`,
    );
    return batchOf(found, chunk.count);
  },
  async remove(em, range) {
    const { tenantId, after } = range;
    // Locked in a separate statement, so that the next one sees recipients that a concurrent call added.
    const next = await rowsOf(
      em,
      NextRow,
      sql`${nextOfDocuments(range, chunk.remove, nextColumns)} for update`,
    );
    const ids = next.map(({ id }) => id);
    // For a deleted document, notices end as `notification-gone` when they are due. For an organization, they are deleted
    // here; those of comments, whose notifications are gone by now, end without a record when they are due.
    const empty =
      (await deleteNextDependents(em, tenantId, next)) === 0 &&
      (await removeNextNotices(em, tenantId, ids, 'deleted')) === 0;
    // More of them may remain, so the next batch starts at the same notifications.
    if (!empty) return { records: 0, last: after ?? first };
    await removeNotifications(em, tenantId, ids);
    return { records: ids.length, last: ids.length < chunk.remove ? null : (next.at(-1)?.position ?? null) };
  },
};

/** Notification preferences of documents. A migration of the document keeps them. */
export const preferenceRecords: RecordKind = {
  name: 'preferences',
  async count(em, { tenantId, documents, after }) {
    const [document, user] = after ?? ['0', '0'];
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`select count(*)::int as records, max(array[document_id, user_id])::text[] as last from (
          select document_id, user_id from preference
          where document_id = any(${documents}) and document_id <> 0 and api_key_id = ${tenantId}
            and (document_id, user_id) > (${document}::bigint, ${user}::bigint)
          order by document_id, user_id limit ${sql.lit(chunk.count)}) as next`,
    );
    return batchOf(found, chunk.count);
  },
  async remove(em, { tenantId, documents }) {
    const matched = await deleteNext(
      em,
      sql`with next as materialized (
          select user_id, org_id, document_id from preference
          where document_id = any(${documents}) and document_id <> 0 and api_key_id = ${tenantId}
          order by document_id, user_id limit ${sql.lit(chunk.remove)}),
        ${deletedPreferences}`,
    );
    // The next batch starts at the first preference again.
    return { records: matched, last: matched < chunk.remove ? null : ['0', '0'] };
  },
};

/** SQL: deletes the preferences `next`. */
const deletedPreferences = sql`deleted as (
  delete from preference p using next n
  where p.user_id = n.user_id and p.org_id = n.org_id and p.document_id = n.document_id)`;

/** Notification preferences of an organization and of documents left in it. */
export const containerPreferences: ContainerRecords = {
  async organizations(em, tenantId, ids) {
    return deleteNext(
      em,
      sql`with next as materialized (
          select user_id, org_id, document_id from preference where org_id = any(${ids}) and api_key_id = ${tenantId} limit 5000),
        ${deletedPreferences}`,
    );
  },
};
