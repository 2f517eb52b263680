import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { AttemptOutcome } from './attempt.ts';
import { spanOf, type ClaimedMessage } from './claim-due.ts';
import type { Destination } from './destination.ts';

/** A message that was sent, and how it went. */
export interface SentMessage {
  readonly message: ClaimedMessage;
  readonly outcome: AttemptOutcome;
  /** Milliseconds until the schedule's next attempt; undefined when it is over. */
  readonly retryIn: number | undefined;
}

/*
 * Messages are changed by the lists of their keys. A join alone leaves it to the planner which side it begins with, and a
 * plan that a connection has kept since the day's partition was empty would read all of that for each message.
 */

/**
 * Writes the attempts of a batch and what becomes of its messages: one statement. An attempt beside the schedule leaves
 * that where it was; what the receiver asks to wait makes it later, never sooner. One that is asked for while another is
 * under way is made after it. What was cancelled meanwhile stays so, unless it has arrived. May be repeated when nobody
 * knows whether it was committed: a message that is recorded is not claimed any more.
 */
export async function recordAttempts(
  em: EntityManager,
  { id, tenantId }: Destination,
  sent: readonly SentMessage[],
): Promise<void> {
  const { from, to } = spanOf(sent.map(({ message }) => message));
  await rows(
    em,
    `with sent as (
       select t.*, now() + t.retry_in * interval '1 millisecond' as scheduled, now() + t.ask * interval '1 millisecond' as not_before
       from unnest($3::timestamptz[], $4::bigint[], $5::boolean[], $6::boolean[], $7::boolean[], $8::float8[], $9::float8[],
         $10::smallint[], $11::int[], $12::text[], $13::text[], $14::float8[])
         as t (event_at, event_id, manual, beside, succeeded, retry_in, ask, http_status, ms, error, response, at)),
     before as materialized (
       select s.*, d.status as former, greatest(d.resends - s.manual::int, 0) as resends_left,
         case when s.succeeded then null when s.beside then d.retry_at else s.scheduled end as retry
       from sent s cross join lateral (
         select * from delivery d where d.endpoint_id = $1 and d.api_key_id = $2 and d.event_at = s.event_at and d.event_id = s.event_id
           and d.event_at between to_timestamp($15::float8) and to_timestamp($16::float8) and d.claimed_until is not null limit 1 for no key update) d),
     after as materialized (
       select b.*, case when b.retry is not null then greatest(b.retry, b.not_before) end as later, case when b.former = 3 and not b.succeeded then 3 when b.resends_left > 0 then 0 when b.succeeded then 1
         when b.retry is not null then 0 else 2 end as status
       from before b),
     recorded as (
       update delivery d set status = a.status, attempts = d.attempts + 1, step = d.step + (not a.beside)::int,
         resends = a.resends_left, claimed_until = null, retry_at = case when a.status <> 3 then a.later end, not_before = a.not_before,
         next_at = case when a.status = 0 then case when a.resends_left > 0 then now() else a.later end end,
         status_reason = case a.status when 2 then a.error when 3 then d.status_reason end
       from after a where d.endpoint_id = $1 and d.api_key_id = $2 and d.event_at = a.event_at and d.event_id = a.event_id
         and d.event_at = any($3::timestamptz[]) and d.event_id = any($4::bigint[]) and d.event_at between to_timestamp($15::float8) and to_timestamp($16::float8)
       returning d.event_at, d.event_id, d.attempts as no, a.manual, a.succeeded, a.http_status, a.ms, a.error, a.response, a.at)
     insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, http_status, ms, error, response)
     select event_at, event_id, $2, $1, no, to_timestamp(at / 1000), manual::int, case when succeeded then 1 else 2 end,
       http_status, ms, error, response from recorded`,
    [
      id,
      tenantId,
      sent.map(({ message }) => message.eventAt),
      sent.map(({ message }) => message.eventId),
      sent.map(({ message }) => message.manual),
      sent.map(({ message }) => message.manual || message.early),
      sent.map(({ outcome }) => outcome.error === null),
      sent.map(({ retryIn }) => retryIn ?? null),
      sent.map(({ outcome }) => outcome.retryAfter ?? null),
      sent.map(({ outcome }) => outcome.httpStatus),
      sent.map(({ outcome }) => outcome.durationMs),
      sent.map(({ outcome }) => outcome.error),
      sent.map(({ outcome }) => outcome.response),
      sent.map(({ outcome }) => outcome.at),
      from,
      to,
    ],
  );
}

/** Milliseconds; undefined when there was none for an hour. */
export async function sinceLastAttempt(
  em: EntityManager,
  { id, tenantId }: Destination,
): Promise<number | undefined> {
  const last = await row<{ since: number }>(
    em,
    `select (extract(epoch from now() - at) * 1000)::float8 as since from attempt
     where endpoint_id = $1 and api_key_id = $2 and at > now() - interval '1 hour' order by at desc limit 1`,
    [id, tenantId],
  );
  return last?.since;
}
