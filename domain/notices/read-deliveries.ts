import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { rowsWithin, withinBytes, type Sizing } from '../../platform/database/within-bytes.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { epochMilliseconds } from '../sql-times.ts';
import { BoundedRow, maxExamined, withinLimit, type PageLimit } from '../page-limit.ts';
import type { StoredAttempt } from './attempt.ts';
import { channelNumbers } from './channels.ts';
import { stateNumbers, type DeliveryFilter } from './delivery-filter.ts';
import { deliverySources, sourceOf, type DeliveryOrder, type DeliveryPosition } from './delivery-sources.ts';

export interface DeliveryPaging {
  readonly after: DeliveryPosition | undefined;
  readonly limit: PageLimit;
  readonly order: DeliveryOrder;
}

/** Max notifications and documents of a delivery in a response. */
const maxItems = 50;

const number = z.number().nullable();
const DeliveryRow = z
  .strictObject({
    id: z.string(),
    at: z.string(),
    public_id: z.string(),
    user_ext_id: z.string().nullable(),
    channel: z.number(),
    provider: number,
    state: z.number(),
    reason: number,
    held_reason: number,
    digest: z.boolean(),
    provider_ref: z.string().nullable(),
    attempts: z.custom<readonly StoredAttempt[]>(),
    created_ms: z.number(),
    ended_ms: number,
    next_ms: number,
    items: z
      .strictObject({ notificationIds: z.array(z.string()), documentIds: z.array(z.string()) })
      .nullable(),
    matches: z.boolean(),
    last: z.boolean(),
  })
  .extend(BoundedRow.shape);
export type DeliveryRow = z.infer<typeof DeliveryRow>;

export interface DeliveryPage {
  readonly deliveries: readonly DeliveryRow[];
  /** Start of the next page; undefined at the end. */
  readonly next: DeliveryPosition | undefined;
  /** True when the byte limit ended the page. */
  readonly cut: boolean;
}

/** Reads deliveries, under way and ended, in order of creation. */
export async function readDeliveries(
  em: EntityManager,
  filter: DeliveryFilter,
  paging: DeliveryPaging,
): Promise<DeliveryPage> {
  const { after, limit } = paging;
  const found = await rowsWithin(em, DeliveryRow, (sizing) => statement(filter, paging, sizing));
  const { fitting, cut } = withinLimit(found);
  const matching = fitting.filter(({ matches }) => matches);
  const page = matching.slice(0, limit.rows);
  // The last examined row is returned even without a match: it is the cursor of the next page.
  const end = found.find(({ last }) => last) ?? (found.length > limit.rows ? found.at(-1) : undefined);
  const boundary = cut || matching.length > limit.rows ? page.at(-1) : end;
  const next = boundary && { at: boundary.at, id: boundary.id };
  return { deliveries: page, next: next ?? (cut ? after : undefined), cut };
}

/** Conditions on examined rows `e` beside that of the source. */
function residual(filter: DeliveryFilter): RawBuilder<unknown>[] {
  const { notification, user, document, channels, statuses } = filter;
  const source = sourceOf(filter);
  return [
    ...(notification === undefined || source === 'notification'
      ? []
      : [sql`exists (select from (${itemsOf}) i where i.notification_id = ${notification})`]),
    ...(user === undefined || source === 'user' ? [] : [sql`e.user_id = ${user}`]),
    ...(document === undefined || source === 'document'
      ? []
      : [sql`exists (select from (${itemsOf}) i where i.document_id = ${document})`]),
    ...(channels === undefined
      ? []
      : [sql`e.channel = any(${channels.map((name) => channelNumbers[name])}::int[])`]),
    ...(statuses === undefined
      ? []
      : [sql`e.state = any(${statuses.map((name) => stateNumbers[name])}::int[])`]),
  ];
}

/** SQL: the notifications of a delivery `e`. */
const itemsOf = sql`
  select n.notification_id, n.document_id from notice n where e.is_live and n.delivery_id = e.id
  union all
  select t.notification_id, t.document_id from delivery_item t
  where not e.is_live and t.at = e.at and t.delivery_id = e.id`;

function statement(
  filter: DeliveryFilter,
  { after, limit, order }: DeliveryPaging,
  sizing: Sizing,
): RawBuilder<unknown> {
  const others = residual(filter);
  // No index finds deliveries under way by document.
  const liveOnly =
    sourceOf(filter) === 'document'
      ? [
          sql`(not e.is_live or exists (
            select from notice n where n.delivery_id = e.id and n.document_id = ${filter.document}))`,
        ]
      : [];
  const conditions = [...liveOnly, ...others];
  const examines = (some: readonly unknown[]) => (some.length > 0 ? maxExamined : limit.rows + 1);
  const rows = { live: examines(conditions), ended: examines(others) };
  const way = sql.raw(order);
  const matches = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
  return sql`
    with ${deliverySources(filter, { after, order, rows })},
    judged as (
      select e.*, ${matches} as passes, row_number() over (order by e.at ${way}, e.id ${way}) = ${rows.live} as last
      from examined e),
    chosen as (select * from judged where passes or last order by at ${way}, id ${way} limit ${limit.rows + 1}),
    page as materialized (
      select e.*, u.ext_id as user_ext_id, e.passes and u.ext_id is not null as matches, i.items from chosen e
      left join app_user u on u.id = e.user_id
      cross join lateral (
        select json_build_object(
          'notificationIds', coalesce(json_agg(x.ext_id order by w.notification_id) filter (where x.ext_id is not null), '[]'),
          'documentIds', coalesce(json_agg(distinct d.ext_id) filter (where d.ext_id is not null), '[]')) as items
        from (select * from (${itemsOf}) all_items order by notification_id limit ${sql.lit(maxItems)}) w
        left join notification x on x.id = w.notification_id left join document d on d.id = w.document_id) i),
    ${withinBytes(sizing, {
      from: 'page',
      order: sql`s.at ${way}, s.id ${way}`,
      content: 'items',
      type: 'json',
      beside: sql`(400 + octet_length(coalesce(user_ext_id, '')) + octet_length(attempts::text))`,
      limit,
    })}
    select id, at::text as at, public_id, user_ext_id, channel, provider, state, reason, held_reason, digest, provider_ref,
      attempts, ${epochMilliseconds('at')} as created_ms, ${epochMilliseconds('ended_at')} as ended_ms,
      ${epochMilliseconds('next_at')} as next_ms, case when fits then items end as items, matches, last, fits, candidates
    from within order by nth`;
}
