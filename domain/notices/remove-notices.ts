import { sql, type RawBuilder } from 'kysely';
import { changedBy } from '../../platform/database/statements.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { deleteNext } from '../delete-next.ts';
import type { ContainerRecords } from '../documents/record-kind.ts';

/** Max rows per statement. */
export const maxRemovedNotices = 5_000;

/** Whether notices of all organizations or only those of deleted ones are removed. */
type Organizations = 'all' | 'deleted';

const isOfDeleted = sql`exists (select from organization o where o.id = n.org_id and o.deleted_at is not null)`;

/**
 * Deletes the next waiting notices of notifications without a record, by the index `notice_once`. The sender handles
 * those that have a delivery. Returns their number, 0 at the end; see `deleteNext`.
 */
export async function removeNextNotices(
  em: EntityManager,
  tenantId: string,
  notifications: readonly string[],
  organizations: Organizations,
): Promise<number> {
  if (notifications.length === 0) return 0;
  return deleteNext(
    em,
    sql`with next as materialized (
        select n.id from unnest(${notifications}::bigint[]) as t (id)
          cross join lateral (
            select n.id from notice n
            where n.notification_id = t.id and n.delivery_id is null and n.api_key_id = ${tenantId}
              ${organizations === 'all' ? sql`` : sql`and ${isOfDeleted}`} limit ${sql.lit(maxRemovedNotices)}) n
        limit ${sql.lit(maxRemovedNotices)}),
      deleted as (delete from notice where id = any(array(select id from next)))`,
  );
}

/** SQL: deletes the items of deliveries that have ended, rows of `table` with their `at` and `id`. */
export const deletingItems = (table: RawBuilder<unknown>) => sql`
  delete from delivery_item i using ${table} d
  where i.at = d.at and i.delivery_id = d.id and i.at = any(array(select at from ${table}))`;

/** Deletes the next deliveries that have ended, with their items. Returns their number; see `deleteNext`. */
export const removeNextEnded = async (em: EntityManager, condition: RawBuilder<unknown>): Promise<number> =>
  deleteNext(
    em,
    sql`with next as materialized (select at, id from delivery_log where ${condition} limit ${sql.lit(maxRemovedNotices)}),
      items as (${deletingItems(sql`next`)}),
      deleted as (
        delete from delivery_log l using next n
        where l.at = n.at and l.id = n.id and l.at = any(array(select at from next)))`,
  );

/** Deliveries of an organization that have ended or that no sender has claimed. */
export const containerDeliveries: ContainerRecords = {
  async organizations(em, tenantId, ids) {
    const ended = await removeNextEnded(em, sql`org_id = any(${ids}::bigint[]) and api_key_id = ${tenantId}`);
    if (ended > 0) return ended;
    return changedBy(
      em,
      sql`with k as materialized (
          select id from outgoing where org_id = any(${ids}::bigint[]) and api_key_id = ${tenantId}
            and (claimed_until is null or claimed_until < now())
          limit ${sql.lit(maxRemovedNotices)} for update skip locked),
        notices as (delete from notice where delivery_id = any(array(select id from k)))
        delete from outgoing where id = any(array(select id from k))`,
    );
  },
};
