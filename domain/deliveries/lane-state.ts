import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import { noticeStates } from '../notices/statuses.ts';
import { isReserved } from './pace.ts';
import type { Lane } from './write-deliveries.ts';

/** Rows that wait on a channel of a key, counted up to `maxCounted`. */
export interface LaneState {
  /** Notices and deliveries. */
  readonly waiting: number;
  /** Deliveries that are due. */
  readonly due: number;
  /** Milliseconds until the next notice or window is due; null when there is none. */
  readonly noticesIn: number | null;
  /** Milliseconds until the next delivery is due or its claim lapses; null when there is none. */
  readonly deliveriesIn: number | null;
  /** Milliseconds since the oldest notice of a delivery was ready; null when there is no delivery. */
  readonly readyForMs: number | null;
  /** Milliseconds until the rate limit allows a claim; 0 or less: it does. */
  readonly pacedMs: number;
}

/** Max rows that are counted. */
const maxCounted = 1_000;

const StateRow = z.strictObject({
  waiting: z.number(),
  due: z.number(),
  notices_in: z.number().nullable(),
  deliveries_in: z.number().nullable(),
  ready_for_ms: z.number().nullable(),
  paced_ms: z.number(),
});

/** Reads up to `maxCounted` index entries of each table. */
export async function readLaneState(
  em: EntityManager,
  { tenantId, channel }: Lane,
  now: RawBuilder<Date>,
): Promise<LaneState> {
  const lane = sql`api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])}`;
  const max = sql.lit(maxCounted);
  const found = await onlyRowOf(
    em,
    StateRow,
    sql`with waiting as (select due_at from notice where ${lane} and state = ${sql.lit(noticeStates.waiting)} order by due_at limit ${max}),
      windows as (select closes_at from notice_window where ${lane} order by closes_at limit ${max}),
      deliveries as (
        select id, greatest(next_at, case when claimed_until > now() then claimed_until end) as at, next_at from outgoing
        where ${lane} order by next_at limit ${max})
      select ((select count(*) from waiting) + (select count(*) from windows) + (select count(*) from deliveries))::int as waiting,
        (select count(*) from deliveries where at <= ${now})::int as due,
        (extract(epoch from least((select min(due_at) from waiting), (select min(closes_at) from windows)) - ${now}) * 1000)::float8 as notices_in,
        (extract(epoch from (select min(at) from deliveries) - ${now}) * 1000)::float8 as deliveries_in,
        (extract(epoch from ${now} - (select min(n.due_at) from notice n
          where n.api_key_id = ${tenantId} and n.delivery_id = any(array(select id from deliveries)))) * 1000)::float8 as ready_for_ms,
        coalesce((select extract(epoch from next_at - now()) * 1000 from channel_pace where ${lane} and ${isReserved()}), 0)::float8 as paced_ms`,
  );
  return {
    waiting: found.waiting,
    due: found.due,
    noticesIn: found.notices_in,
    deliveriesIn: found.deliveries_in,
    readyForMs: found.ready_for_ms,
    pacedMs: found.paced_ms,
  };
}
