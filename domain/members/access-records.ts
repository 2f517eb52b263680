import { sql, type RawBuilder } from 'kysely';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { deleteNext } from '../delete-next.ts';
import {
  batchOf,
  RecordBatchRow,
  type ContainerRecords,
  type RecordKind,
  type RemoveContainerRecords,
  type RecordRange,
} from '../documents/record-kind.ts';
import { resourceKindNumbers } from '../tenancy/resource-kinds.ts';

/*
 * Counts and removes the rows of `access` of documents and folders: memberships and grants. Those of a user are deleted and
 * exported by `deletion/stores` and `deletion/export`.
 */

/** Rows per batch. Counting reads one index, as far as vacuum has marked the table's pages as visible to all. */
const batchRows = { count: 250_000, remove: 5_000 } as const;

const { document, folder } = resourceKindNumbers;

/**
 * SQL: these columns of the next rows `a` of documents, in the order of the index over resource and user. Each document
 * is looked up by the whole key: before PostgreSQL 17, `resource_id = any(…)` makes the index lose its order. Documents
 * before the cursor's are not read. The sort needs `readInIndexOrder`: it then takes one document at a time, because
 * `nth` is in order already, and reads no document after the limit is reached.
 */
function nextOfDocuments(
  { documents, after }: RecordRange,
  limit: number,
  columns: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [resource, user] = after ?? ['0', ''];
  return sql`
    select ${columns} from unnest(${documents}::bigint[]) with ordinality as d (id, nth) cross join lateral (
      select user_id, resource_id, user_ext from access
      where kind = ${sql.lit(document)} and resource_id = d.id
        and user_ext > case when d.id > ${resource}::bigint then '' else ${user}::text end
      order by user_ext limit ${sql.lit(limit)}) a
    where d.id >= ${resource}::bigint order by d.nth, a.user_ext limit ${sql.lit(limit)}`;
}

const cursor = sql`a.resource_id, a.user_ext`;
const removed = sql`a.user_id, ${cursor}`;

const batchOfNext = sql`(select count(*)::integer from next) as records,
  (select array[resource_id::text, user_ext] from next order by resource_id desc, user_ext desc limit 1) as last`;

/** Memberships of documents and grants on them, one row per user. */
export const accessRecords: RecordKind = {
  name: 'access',
  async count(em, range) {
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`with next as materialized (${nextOfDocuments(range, batchRows.count, cursor)}) select ${batchOfNext}`,
    );
    return batchOf(found, batchRows.count);
  },
  async remove(em, range) {
    const found = await onlyRowOf(
      em,
      RecordBatchRow,
      sql`with next as materialized (${nextOfDocuments(range, batchRows.remove, removed)}),
        gone as (
          delete from access a using next n where a.api_key_id = ${range.tenantId} and a.user_id = n.user_id
            and a.user_ext = n.user_ext and a.kind = ${sql.lit(document)} and a.resource_id = n.resource_id)
        select ${batchOfNext}`,
    );
    return batchOf(found, batchRows.remove);
  },
};

/** Memberships and grants of folders, and those of an organization with its folders and documents. */
export const containerAccess: ContainerRecords = {
  folders: removal((ids) => sql`kind = ${sql.lit(folder)} and resource_id = any(${ids})`),
  organizations: removal((ids) => sql`org_id = any(${ids})`),
};

function removal(condition: (ids: readonly string[]) => RawBuilder<unknown>): RemoveContainerRecords {
  return async (em, tenantId, ids) =>
    deleteNext(
      em,
      sql`with next as materialized (
          select user_id, user_ext, kind, resource_id from access where ${condition(ids)} and api_key_id + 0 = ${tenantId}
          limit ${sql.lit(batchRows.remove)}),
        deleted as (
          delete from access a using next n where a.api_key_id = ${tenantId} and a.user_id = n.user_id
            and a.user_ext = n.user_ext and a.kind = n.kind and a.resource_id = n.resource_id)`,
    );
}
