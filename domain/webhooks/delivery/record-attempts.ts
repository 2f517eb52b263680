import { sql } from 'kysely';
import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';
import { indexMoments, namesInResponse } from '../../users/name-index.ts';
import type { AttemptOutcome } from './attempt.ts';
import { spanOf, type ClaimedMessage } from './claim-due.ts';
import type { Destination } from './destination.ts';
import { messageStatuses } from './message.ts';

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

/* SQL of what becomes of a message `d` for which the attempt `s` was made. */
const resendsLeft = 'greatest(d.resends - s.manual::int, 0)';
const retry = `case when s.succeeded then null when s.beside then d.retry_at else s.scheduled end`;
const later = `case when ${retry} is not null then greatest(${retry}, s.not_before) end`;
const status = `case when d.status = ${String(messageStatuses.cancelled)} and not s.succeeded then ${String(messageStatuses.cancelled)}
  when ${resendsLeft} > 0 then ${String(messageStatuses.pending)} when s.succeeded then ${String(messageStatuses.succeeded)}
  when ${retry} is not null then ${String(messageStatuses.pending)} else ${String(messageStatuses.failed)} end`;

/** SQL: people were taken out of the event of `alias` after it was sent. A response that is empty is not asked about. */
const scrubbedMeanwhile = (alias: string): string => `${alias}.response <> '' and exists (
  select from event e where e.api_key_id = $2 and e.at = ${alias}.event_at and e.id = ${alias}.event_id and e.scrubbed_at is not null)`;

const statement = `
  with sent as (
    select t.*, now() + t.retry_in * interval '1 millisecond' as scheduled, now() + t.ask * interval '1 millisecond' as not_before
    from unnest($3::timestamptz[], $4::bigint[], $5::boolean[], $6::boolean[], $7::boolean[], $8::float8[], $9::float8[],
      $10::smallint[], $11::int[], $12::text[], $13::text[], $14::float8[], $17::timestamptz[])
      as t (event_at, event_id, manual, beside, succeeded, retry_in, ask, http_status, ms, error, response, at, claimed_until)),
  recorded as (
    update delivery d set status = ${status}, attempts = d.attempts + 1, step = d.step + (not s.beside)::int,
      resends = ${resendsLeft}, claimed_until = null, not_before = s.not_before,
      retry_at = case when ${status} <> ${String(messageStatuses.cancelled)} then ${later} end,
      next_at = case when ${status} = ${String(messageStatuses.pending)} then case when ${resendsLeft} > 0 then now() else ${later} end end,
      status_reason = case ${status} when ${String(messageStatuses.failed)} then s.error when ${String(messageStatuses.cancelled)} then d.status_reason end
    from sent s where d.endpoint_id = $1 and d.api_key_id = $2 and d.event_at = s.event_at and d.event_id = s.event_id
      and d.event_at = any($3::timestamptz[]) and d.event_id = any($4::bigint[]) and d.claimed_until = s.claimed_until
      and d.event_at between to_timestamp($15::float8) and to_timestamp($16::float8)
    returning d.event_at, d.event_id, d.attempts as no, s.manual, s.succeeded, s.http_status, s.ms, s.error, s.response, s.at)
  insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, http_status, ms, error, response)
  select event_at, event_id, $2, $1, no, to_timestamp(at / 1000), manual::int, case when succeeded then 1 else 2 end,
    http_status, ms, error, case when ${scrubbedMeanwhile('r')} then '' else response end from recorded r`;

/**
 * Writes the attempts of a batch and what becomes of its messages: one statement. An attempt beside the schedule leaves
 * that where it was; what the receiver asks to wait makes it later, never sooner. One that is asked for while another is
 * under way is made after it. What was cancelled meanwhile stays so, unless it has arrived. May be repeated when nobody
 * knows whether it was committed: a message that is recorded is not claimed any more. Of a worker that stalled past its claim
 * nothing is recorded of messages that another has claimed since: those are that one's to end.
 */
export async function recordAttempts(
  em: EntityManager,
  { id, tenantId }: Destination,
  sent: readonly SentMessage[],
): Promise<void> {
  const { from, to } = spanOf(sent.map(({ message }) => message));
  const recorded = rows(em, statement, [
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
    sent.map(({ message }) => message.claimedUntil),
  ]);
  // Both are sent before either is waited for: a commit may follow in their packet.
  await Promise.all([
    recorded,
    indexResponses(
      em,
      { id, tenantId },
      sent.map(({ outcome }) => outcome),
    ),
  ]);
}

/** Writes down in which seconds responses hold names. */
export async function indexResponses(
  em: EntityManager,
  { id, tenantId }: Pick<Destination, 'id' | 'tenantId'>,
  outcomes: readonly AttemptOutcome[],
): Promise<void> {
  const named = outcomes.flatMap(({ at, response }) =>
    namesInResponse(response).map((name) => [at, name] as const),
  );
  if (named.length === 0) return;
  const pairs = sql`select to_timestamp(t.at / 1000) as at, t.name
    from unnest(${named.map(([at]) => at)}::float8[], ${named.map(([, name]) => name)}::text[]) as t (at, name)`;
  await indexMoments(tenantId, id, pairs).execute(tablesOf(em));
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
