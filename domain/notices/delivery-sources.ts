import { sql, type RawBuilder } from 'kysely';
import { stateNumbers, type DeliveryFilter } from './delivery-filter.ts';

export type DeliveryOrder = 'asc' | 'desc';

/** A position in the order of creation time, then surrogate key. `at`: PostgreSQL's text, with microseconds. */
export interface DeliveryPosition {
  readonly at: string;
  readonly id: string;
}

interface Range {
  readonly after: DeliveryPosition | undefined;
  readonly order: DeliveryOrder;
  /** Max rows of each table that are examined. */
  readonly rows: ExaminedRows;
}

interface ExaminedRows {
  readonly live: number;
  readonly ended: number;
}

/** The condition whose index finds the deliveries; null: that of the organization. */
type DeliverySource = 'deliveryIds' | 'notification' | 'user' | 'document' | null;

export function sourceOf(filter: DeliveryFilter): DeliverySource {
  const sources = ['deliveryIds', 'notification', 'user', 'document'] as const;
  return sources.find((source) => filter[source] !== undefined) ?? null;
}

/**
 * SQL: `examined`, the next deliveries after a position, of `outgoing` and of `delivery_log`. Each is read by one index:
 * that of the delivery ids, the notification, the user, the document or the organization.
 */
export function deliverySources(filter: DeliveryFilter, range: Range): RawBuilder<unknown> {
  const way = sql.raw(range.order);
  const log = logSource(filter);
  return sql`
    live as (select o.id, o.created_at as at, true as is_live, o.user_id, o.channel::int as channel, null::int as provider,
        case when o.claimed_until > now() then ${sql.lit(stateNumbers.sending)}
          when c.reason is not null then ${sql.lit(stateNumbers.held)} else ${sql.lit(stateNumbers.queued)} end as state,
        null::int as reason, case when o.claimed_until > now() then null else c.reason::int end as held_reason, o.digest,
        o.public_id, null::text as provider_ref, o.attempts, o.next_at, null::timestamptz as ended_at
      from ${liveSource(filter)}
      left join channel_state c on c.api_key_id = ${filter.tenantId} and c.channel = o.channel
      where o.org_id = ${filter.organization} and ${within(filter, range, sql`o.created_at`, sql`o.id`)}
      order by o.created_at ${way}, o.id ${way} limit ${range.rows.live}),
    ended as (select l.id, l.at, false as is_live, l.user_id, l.channel::int, l.provider::int, l.status::int as state,
        l.reason::int, null::int as held_reason, l.digest, l.public_id, l.provider_ref, l.attempts,
        null::timestamptz as next_at, l.ended_at
      from ${log.from}
      where l.org_id = ${filter.organization} and ${within(filter, range, log.at, log.id)}
        and ${log.at} > now() - interval '30 days'
      order by ${log.at} ${way}, ${log.id} ${way} limit ${range.rows.ended}),
    examined as materialized (
      select * from (select * from live union all select * from ended) e order by at ${way}, id ${way}
      limit ${Math.max(range.rows.live, range.rows.ended)})`;
}

/**
 * SQL: `outgoing as o`, with the condition of its index. It has no index by document, because deliveries under way are
 * few per organization.
 */
function liveSource({ deliveryIds, notification, user }: DeliveryFilter): RawBuilder<unknown> {
  if (deliveryIds !== undefined)
    return sql`(select * from outgoing where public_id = any(${deliveryIds}::text[])) o`;
  if (notification !== undefined)
    return sql`(select distinct n.delivery_id from notice n where n.notification_id = ${notification}
      and n.delivery_id is not null) n join outgoing o on o.id = n.delivery_id`;
  if (user !== undefined) return sql`(select * from outgoing where user_id = ${user}) o`;
  return sql`outgoing o`;
}

interface LogSource {
  readonly from: RawBuilder<unknown>;
  /** The time and the key of a delivery, in the order of the index. */
  readonly at: RawBuilder<unknown>;
  readonly id: RawBuilder<unknown>;
}

/** SQL: `delivery_log as l`, with the condition of its index. */
function logSource({ deliveryIds, notification, user, document }: DeliveryFilter): LogSource {
  const own = { at: sql`l.at`, id: sql`l.id` };
  if (deliveryIds !== undefined)
    return {
      from: sql`(select * from delivery_log where public_id = any(${deliveryIds}::text[])) l`,
      ...own,
    };
  if (notification !== undefined) return ofItems(sql`t.notification_id = ${notification}`);
  if (user !== undefined)
    return { from: sql`(select * from delivery_log where user_id = ${user}) l`, ...own };
  // A digest may have several notifications of the document.
  if (document !== undefined)
    return ofItems(sql`t.document_id = ${document} and not exists (
      select from delivery_item p where p.at = t.at and p.delivery_id = t.delivery_id
        and p.notification_id < t.notification_id and p.document_id = t.document_id)`);
  return { from: sql`delivery_log l`, ...own };
}

/** The deliveries of items. `offset 0`: only those of the page are read, each by the primary key. */
const ofItems = (condition: RawBuilder<unknown>): LogSource => ({
  from: sql`delivery_item t join lateral (
    select * from delivery_log where at = t.at and id = t.delivery_id offset 0) l on ${condition}`,
  at: sql`t.at`,
  id: sql`t.delivery_id`,
});

/** SQL: whether a time and a key are after the position and between `since` and `until`. */
function within(
  { since, until }: DeliveryFilter,
  { after, order }: Range,
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const beyond = sql.raw(order === 'asc' ? '>' : '<');
  const moment = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;
  const conditions = [
    // The first comparison prunes partitions.
    ...(after === undefined
      ? []
      : [
          sql`${at} ${beyond}= ${after.at}::timestamptz`,
          sql`(${at}, ${id}) ${beyond} (${after.at}::timestamptz, ${after.id}::bigint)`,
        ]),
    ...(since === undefined ? [] : [sql`${at} >= ${moment(since)}`]),
    ...(until === undefined ? [] : [sql`${at} < ${moment(until)}`]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}
