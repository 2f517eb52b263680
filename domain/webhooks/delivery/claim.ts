import { sql } from 'kysely';
import { z } from 'zod';
import { dayMs, hourMs } from '../../../platform/units.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { changedBy, rowsOf } from '../../../platform/database/statements.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { exchangeTimeoutMs, messageStatuses } from './message.ts';
import { featureTypeOf, type Message } from './payload.ts';
import type { Destination } from './resolve.ts';

/** A message that this process may send until its claim ends. */
export interface ClaimedMessage extends Message {
  /** Primary key of the delivery, together with the endpoint and the event id. */
  readonly eventAt: string;
  readonly eventId: string;
  /** When it became due, in seconds since the epoch. */
  readonly dueAt: number;
  /** Scheduled attempts so far. */
  readonly step: number;
  /** The attempt was requested by resend or recover. */
  readonly manual: boolean;
  /** The attempt is extra: the schedule's next attempt is due later. */
  readonly early: boolean;
  /** The claim's fencing token: a later claim of the same message ends later. */
  readonly claimedUntil: string;
  /** Size of `data`. */
  readonly bytes: number;
}

/** The messages of one claim, and the endpoint as resolved in the claim's transaction. */
export interface ClaimedBatch {
  readonly destination: Destination;
  readonly messages: readonly ClaimedMessage[];
  /** `performance.now()` before the claim. */
  readonly claimedAt: number;
}

/** Max retention of events, messages and attempts in days, plus one for the partition of the oldest day. */
export const maxKeptDays = 31;

/**
 * Days of partitions that most polls read, which is faster. A turn reads all of them until a poll finds no older message:
 * after `recover`, or after days of a pause, thousands of older ones may be due.
 */
export const recentDays = 2;

/** Whether a message was claimed from a partition that only polls of all partitions read. An hour is for clocks that differ. */
export const isOlder = ({ at }: Pick<ClaimedMessage, 'at'>): boolean =>
  at < Date.now() - recentDays * dayMs + hourMs;

const ClaimedRow = z.strictObject({
  event_at: z.string(),
  event_id: z.string(),
  due_at: z.number(),
  sequence: z.string().nullable(),
  step: z.number(),
  manual: z.boolean(),
  early: z.boolean(),
  claimed_until: z.string(),
  public_id: z.string(),
  type: z.string(),
  channels: z.array(z.string()).nullable(),
  data: z.string(),
  bytes: z.number(),
  at: z.number(),
  traceparent: z.string().nullable(),
});

const pending = sql.lit(messageStatuses.pending);

export interface ClaimRequest {
  readonly max: number;
  /** Max bytes of the messages' data; a first message that is larger is claimed alone. */
  readonly maxBytes: number;
  /** Number of daily partitions to read. */
  readonly days: number;
  /** Only messages due from this time on, in seconds since the epoch; undefined for all. */
  readonly from: number | undefined;
}

/** Seconds until a claim ends, by PostgreSQL's clock. */
const claimSeconds = 30;

/** Milliseconds after claiming within which attempts may begin: they have ended when the claim ends. */
export const sendWithinMs = claimSeconds * 1_000 - exchangeTimeoutMs;

/** Constant within a transaction. */
const claimEnd = sql`now() + interval '${sql.raw(String(claimSeconds))} seconds'`;

/**
 * Claims due messages for 30 seconds; after a crash they are due again when the claim ends. Call it in the transaction of
 * `resolve`, for an open endpoint only.
 */
export async function claim(
  em: EntityManager,
  destination: Destination,
  request: ClaimRequest,
): Promise<ClaimedMessage[]> {
  const due = await lockDue(em, destination, request);
  if (due.length > 0) await markClaimed(em, destination, due);
  return due;
}

async function lockDue(
  em: EntityManager,
  { id, tenantId, kind }: Destination,
  { max, maxBytes, days, from }: ClaimRequest,
): Promise<ClaimedMessage[]> {
  // Only an external provider needs the channels, and reading arrays is slow.
  const channels = kind === endpointKinds.application;
  const due = await rowsOf(
    em,
    ClaimedRow,
    sql`with due as (
        select d.event_at, d.event_id, d.next_at, d.sequence, d.step, d.resends, d.retry_at from delivery d
        where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending} and d.next_at <= now()
          and d.next_at >= to_timestamp(${from ?? 0}::float8)
          and d.event_at between now() - ${days} * interval '1 day' and now()
          and (d.claimed_until is null or d.claimed_until < now())
        order by d.next_at limit ${max} for update skip locked),
      sized as (
        select d.*, e.public_id, e.type, e.channels, e.payload, e.at, e.traceparent,
          coalesce(octet_length(e.payload::text), 0) as bytes
        from due d cross join lateral (
          select * from event e where e.at = d.event_at and e.id = d.event_id and e.api_key_id = ${tenantId}
            and e.at between now() - ${days} * interval '1 day' and now() limit 1) e),
      numbered as (
        select s.*, row_number() over in_order as nth, sum(s.bytes) over in_order as up_to from sized s
        window in_order as (order by s.next_at rows unbounded preceding))
      select n.event_at::text, n.event_id, extract(epoch from n.next_at)::float8 as due_at, n.sequence, n.step, n.resends > 0 as manual,
        coalesce(n.retry_at > now(), false) as early, (${claimEnd})::text as claimed_until, n.public_id, n.type,
        case when ${channels} then n.channels end as channels,
        n.payload::text as data, n.bytes, extract(epoch from n.at)::float8 * 1000 as at, n.traceparent
      from numbered n where n.up_to <= ${maxBytes}::bigint or n.nth = 1 order by n.nth`,
  );
  return due.map((found) => ({
    eventAt: found.event_at,
    eventId: found.event_id,
    dueAt: found.due_at,
    webhookId: found.public_id,
    type: found.type,
    source: featureTypeOf(found.type, found.data),
    sequence: found.sequence === null ? null : Number(found.sequence),
    channels: found.channels ?? [],
    data: found.data,
    bytes: found.bytes,
    at: Math.floor(found.at),
    traceparent: found.traceparent,
    step: found.step,
    manual: found.manual,
    early: found.early,
    claimedUntil: found.claimed_until,
  }));
}

async function markClaimed(
  em: EntityManager,
  { id, tenantId }: Destination,
  due: readonly ClaimedMessage[],
): Promise<void> {
  const { from, to } = spanOf(due);
  await changedBy(
    em,
    sql`update delivery set claimed_until = ${claimEnd}
      where endpoint_id = ${id} and api_key_id = ${tenantId}
        and event_at = any(${due.map(({ eventAt }) => eventAt)}::timestamptz[])
        and event_id = any(${due.map(({ eventId }) => eventId)}::bigint[])
        and event_at between to_timestamp(${from}::float8) and to_timestamp(${to}::float8)`,
  );
}

/** Time range of messages in Unix seconds: it lets a statement prune partitions. */
export function spanOf(messages: readonly { readonly at: number }[]): {
  readonly from: number;
  readonly to: number;
} {
  const times = messages.map(({ at }) => at);
  return { from: Math.min(...times) / 1_000 - 1, to: Math.max(...times) / 1_000 + 1 };
}
