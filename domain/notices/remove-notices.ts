import { sql } from 'kysely';
import { changedBy } from '../../platform/database/statements.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { deleteNext } from '../delete-next.ts';
import type { ContainerRecords } from '../documents/record-kind.ts';

/** Rows per statement. */
const max = 5_000;

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
              ${organizations === 'all' ? sql`` : sql`and ${isOfDeleted}`} limit ${sql.lit(max)}) n
        limit ${sql.lit(max)}),
      deleted as (delete from notice where id = any(array(select id from next)))`,
  );
}

/** Deliveries of an organization that have ended or that no sender has claimed. */
export const containerDeliveries: ContainerRecords = {
  async organizations(em, tenantId, ids) {
    const ended = await deleteNext(
      em,
      sql`with next as materialized (
          select at, id from delivery_log where org_id = any(${ids}::bigint[]) and api_key_id = ${tenantId} limit ${sql.lit(max)}),
        items as (
          delete from delivery_item i using next n
          where i.at = n.at and i.delivery_id = n.id and i.at = any(array(select at from next))),
        deleted as (
          delete from delivery_log l using next n
          where l.at = n.at and l.id = n.id and l.at = any(array(select at from next)))`,
    );
    if (ended > 0) return ended;
    return changedBy(
      em,
      sql`with k as materialized (
          select id from outgoing where org_id = any(${ids}::bigint[]) and api_key_id = ${tenantId}
            and (claimed_until is null or claimed_until < now())
          limit ${sql.lit(max)} for update skip locked),
        notices as (delete from notice where delivery_id = any(array(select id from k)))
        delete from outgoing where id = any(array(select id from k))`,
    );
  },
};
