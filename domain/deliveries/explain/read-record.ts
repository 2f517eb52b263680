import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowsOf } from '../../../platform/database/statements.ts';
import { epochMilliseconds } from '../../sql-times.ts';
import { nameOfNumber } from '../../name-of-number.ts';
import { stateNumbers } from '../../notices/delivery-filter.ts';
import {
  heldReasons,
  noticeStates,
  reasonNumbers,
  type DeliveryStatus,
  type HeldReason,
  type StatusReason,
} from '../../notices/statuses.ts';
import type { ExplainedRow } from './find-explained.ts';

/** A waiting notice, or a delivery with a notice, of one notification for one user. */
export interface NoticeRecord {
  /** Number of the channel. */
  readonly channel: number;
  readonly outcome: 'waiting' | 'batching' | DeliveryStatus;
  readonly reason: StatusReason | null;
  readonly held: HeldReason | null;
  /** Milliseconds since the epoch; null for a delivery. */
  readonly dueAt: number | null;
  /** Null for a waiting notice. */
  readonly deliveryId: string | null;
}

const number = z.number().nullable();
const RecordRow = z.strictObject({
  channel: z.number(),
  is_batching: z.boolean(),
  /** Null for a waiting notice. */
  state: number,
  reason: number,
  held: number,
  due_ms: number,
  public_id: z.string().nullable(),
});

interface RecordQuery {
  readonly notification: Pick<ExplainedRow, 'id' | 'ts' | 'recipient_count'>;
  readonly organization: string;
  readonly user: string | undefined;
}

/** A notification of at most this many recipients is found by its deliveries, a larger one by those of the user. */
const fewRecipients = 500;

/** Max deliveries of one notification to one user. An overwritten notification may have several. */
const maxDeliveries = 100;

/**
 * Reads the stored deliveries of a notification to a user in order of creation, then its waiting notices, in one
 * statement.
 */
export async function readRecord(
  em: EntityManager,
  tenantId: string,
  { notification, organization, user }: RecordQuery,
): Promise<NoticeRecord[]> {
  const found = await rowsOf(
    em,
    RecordRow,
    sql`
      with live as (
        select n.channel::int, n.state = ${sql.lit(noticeStates.batching)} as is_batching, o.id, o.created_at as at, o.public_id,
          case when o.id is null then null when o.claimed_until > now() then ${sql.lit(stateNumbers.sending)}
            when c.reason is not null then ${sql.lit(stateNumbers.held)} else ${sql.lit(stateNumbers.queued)} end as state,
          null::int as reason, c.reason::int as channel_reason,
          case when o.id is null then coalesce(w.closes_at, n.due_at) end as due_at
        from notice n
        left join outgoing o on o.id = n.delivery_id
        left join channel_state c on c.api_key_id = ${tenantId} and c.channel = n.channel
        left join lateral (
          select min(closes_at) as closes_at from notice_window
          where user_id = n.user_id and channel = n.channel and org_id = n.org_id and document_id in (0, n.document_id)
            and n.state = ${sql.lit(noticeStates.batching)} offset 0) w on true
        where n.notification_id = ${notification.id} and n.user_id = ${user} and n.api_key_id = ${tenantId}),
      ended as (
        select l.channel::int, false as is_batching, l.id, l.at, l.public_id, l.status::int as state, l.reason::int,
          null::int as channel_reason, null::timestamptz as due_at
        from ${endedSource({ notification, organization, user })}
        order by l.at desc, l.id desc limit ${sql.lit(maxDeliveries)})
      select channel, is_batching, state, reason, case when state = ${sql.lit(stateNumbers.held)} then channel_reason end as held,
        ${epochMilliseconds('due_at')} as due_ms, public_id
      from (select * from live union all select * from ended) found order by at nulls last, id`,
  );
  return found.map(({ channel, is_batching, state, reason, held, due_ms, public_id }) => ({
    channel,
    outcome: state === null ? (is_batching ? 'batching' : 'waiting') : nameOfNumber(stateNumbers, state),
    reason: reason === null ? null : nameOfNumber(reasonNumbers, reason),
    held: held === null ? null : nameOfNumber(heldReasons, held),
    dueAt: due_ms,
    deliveryId: public_id,
  }));
}

/**
 * SQL: `delivery_log as l`, the ended deliveries of the notification to the user. Reads those of the notification or
 * those of the user, whichever are likely fewer. Each subquery ends with `offset 0`, so that PostgreSQL, which cannot know
 * which are fewer, does not join the other way round.
 */
function endedSource({ notification, organization, user }: RecordQuery): RawBuilder<unknown> {
  const since = sql`greatest(now() - interval '30 days', to_timestamp(${notification.ts}::float8 / 1000) - interval '1 hour')`;
  const isOfUser = sql`user_id = ${user} and org_id = ${organization}`;
  const isOfNotification = sql`notification_id = ${notification.id}`;
  return notification.recipient_count <= fewRecipients
    ? sql`(select at, delivery_id from delivery_item where ${isOfNotification} and at > ${since} offset 0) t
        cross join lateral (select * from delivery_log where at = t.at and id = t.delivery_id and ${isOfUser} offset 0) l`
    : sql`(select * from delivery_log where ${isOfUser} and at > ${since} offset 0) l
        cross join lateral (
          select from delivery_item where at = l.at and delivery_id = l.id and ${isOfNotification} offset 0) t`;
}
