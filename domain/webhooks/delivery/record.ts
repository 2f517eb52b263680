import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf, rowsOf } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import { countUsage } from '../../tenancy/usage.ts';
import { indexMoments, namesInResponse } from '../../users/name-index.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { spanOf } from './claim.ts';
import { updateEndpointHealth } from './endpoint-health.ts';
import { fencedResponses } from './fenced-responses.ts';
import { attemptStatuses, messageStatuses, triggers } from './message.ts';
import { lockRecovery } from './recovery.ts';
import type { Destination } from './resolve.ts';
import { retryWait } from './retry-schedule.ts';
import type { AttemptOutcome, SentMessage } from './send.ts';

/*
 * Updates select messages by arrays of their keys. With a join alone, a plan cached while the day's partition was empty
 * would scan that partition for each message.
 */

/* SQL: the next state of a message `d` after its attempt `s`. */
const pending = sql.lit(messageStatuses.pending);
const succeeded = sql.lit(messageStatuses.succeeded);
const failed = sql.lit(messageStatuses.failed);
const cancelled = sql.lit(messageStatuses.cancelled);
const resendsLeft = sql`greatest(d.resends - s.manual::int, 0)`;
const retry = sql`case when s.succeeded then null when s.beside then d.retry_at else s.scheduled end`;
const later = sql`case when ${retry} is not null then greatest(${retry}, s.not_before) end`;
const status = sql`case when d.status = ${cancelled} and not s.succeeded then ${cancelled}
  when ${resendsLeft} > 0 then ${pending} when s.succeeded then ${succeeded}
  when ${retry} is not null then ${pending} when d.delivered then ${succeeded} else ${failed} end`;
/** A smallint: resending has no limit over 30 days. */
const attemptNumber = sql`least(d.attempts + 1, 32767)`;
const changes = sql`status = ${status}, attempts = ${attemptNumber}, step = d.step + (not s.beside)::int,
  resends = ${resendsLeft}, claimed_until = null, not_before = s.not_before,
  retry_at = case when ${status} <> ${cancelled} then ${later} end,
  next_at = case when ${status} = ${pending} then case when ${resendsLeft} > 0 then now() else ${later} end end,
  delivered = d.delivered or s.succeeded,
  status_reason = case ${status} when ${failed} then s.error when ${cancelled} then d.status_reason end`;

/* SQL: columns of an attempt `r`. */
const trigger = sql`case when r.manual then ${sql.lit(triggers.manual)} else ${sql.lit(triggers.scheduled)} end`;
const attemptStatus = sql`case when r.succeeded then ${sql.lit(attemptStatuses.succeeded)}
  else ${sql.lit(attemptStatuses.failed)} end`;

/**
 * Records attempts. Locks the endpoint first if it changes its row or its recovery, because every writer locks the endpoint
 * before its messages. `retryDelaysMs`: before each attempt. Returns whether the endpoint was disabled.
 */
export async function record(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
  retryDelaysMs: readonly number[],
): Promise<boolean> {
  if (sent.length === 0) return false;
  if (destination.recovering) await lockRecovery(em, destination);
  const isDisabled = await updateEndpointHealth(em, destination, sent);
  await recordAttempts(em, destination, await withoutFencedPeople(em, destination, sent), retryDelaysMs);
  return isDisabled;
}

/** Empties responses that name a user under deletion. */
async function withoutFencedPeople(
  em: EntityManager,
  { tenantId }: Destination,
  sent: readonly SentMessage[],
): Promise<readonly SentMessage[]> {
  const received = sent.map(({ message, outcome: { response } }) => ({ response, event: message }));
  const fenced = await fencedResponses(em, { id: tenantId }, received);
  return sent.map((one, at) =>
    fenced.has(at) ? { ...one, outcome: { ...one.outcome, response: '' } } : one,
  );
}

/**
 * Inserts the attempts of a batch and updates its messages in one statement. Extra attempts do not advance the schedule;
 * `Retry-After` only delays it. A canceled message stays canceled unless it was delivered.
 *
 * Idempotent: recording ends a claim, and an expired claim that another process has replaced records nothing.
 */
async function recordAttempts(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
  retryDelaysMs: readonly number[],
): Promise<void> {
  const { id, tenantId } = destination;
  const messages = sent.map(({ message }) => message);
  const outcomes = sent.map(({ outcome }) => outcome);
  const { from, to } = spanOf(messages);
  const moments = sql`${messages.map(({ eventAt }) => eventAt)}::timestamptz[]`;
  const ids = sql`${messages.map(({ eventId }) => eventId)}::bigint[]`;
  const stored = await rowsOf(
    em,
    StoredRow,
    sql`with sent as (
        select t.*, now() + t.retry_in * interval '1 millisecond' as scheduled,
          now() + t.ask * interval '1 millisecond' as not_before
        from unnest(${moments}, ${ids}, ${messages.map(({ claimedUntil }) => claimedUntil)}::timestamptz[],
          ${messages.map(({ manual }) => manual)}::boolean[], ${messages.map(({ manual, early }) => manual || early)}::boolean[],
          ${outcomes.map(({ error }) => error === null)}::boolean[],
          ${sent.map((one) => retryIn(retryDelaysMs, destination, one) ?? null)}::float8[], ${outcomes.map(({ retryAfterMs }) => retryAfterMs ?? null)}::float8[],
          ${outcomes.map(({ httpStatus }) => httpStatus)}::smallint[], ${outcomes.map(({ durationMs }) => durationMs)}::int[],
          ${outcomes.map(({ error }) => error)}::text[], ${outcomes.map(({ response }) => response)}::text[],
          ${outcomes.map(({ at }) => at)}::float8[])
          as t (event_at, event_id, claimed_until, manual, beside, succeeded, retry_in, ask, http_status, ms, error, response, at)),
      recorded as (
        update delivery d set ${changes}
        from sent s where d.endpoint_id = ${id} and d.api_key_id = ${tenantId}
          and d.event_at = s.event_at and d.event_id = s.event_id
          and d.event_at = any(${moments}) and d.event_id = any(${ids}) and d.claimed_until = s.claimed_until
          and d.event_at between to_timestamp(${from}::float8) and to_timestamp(${to}::float8)
        returning d.event_at, d.event_id, d.attempts as no, s.manual, s.succeeded, s.http_status, s.ms, s.error, s.response, s.at)
      insert into attempt (event_at, event_id, api_key_id, endpoint_id, no, at, trigger, status, http_status, ms, error, response)
      select event_at, event_id, ${tenantId}, ${id}, no, to_timestamp(at / 1000), ${trigger}, ${attemptStatus},
        http_status, ms, error,
        -- Drops the response when personal data was removed from the event after it was sent.
        case when r.response <> '' and exists (
          select from event e where e.api_key_id = ${tenantId} and e.at = r.event_at and e.id = r.event_id
            and e.scrubbed_at is not null) then '' else response end
      from recorded r
      returning event_id, response <> '' as response`,
  );
  const responding = new Set(stored.flatMap(({ event_id, response }) => (response ? [event_id] : [])));
  const kept = sent.filter(({ message }) => responding.has(message.eventId));
  await indexResponses(
    em,
    { id, tenantId },
    kept.map(({ outcome }) => outcome),
  );
  countUsage(em, tenantId, 'deliveries', stored.length);
}

/** `response`: whether the response is stored. */
const StoredRow = z.strictObject({ event_id: z.string(), response: z.boolean() });

/** Milliseconds until the next scheduled attempt; undefined when the schedule is over, or at 410 of the endpoint's URL. */
function retryIn(
  retryDelaysMs: readonly number[],
  destination: Destination,
  { message: { step }, url, outcome: { error, gone } }: SentMessage,
): number | undefined {
  const endless = destination.kind === endpointKinds.application;
  if (error === null || (gone && !endless && url === destination.url)) return undefined;
  return retryWait(retryDelaysMs, { step: step + 1, endless });
}

/** Indexes the times of stored responses that contain names. */
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

const SinceRow = z.strictObject({ since: z.number() });

/**
 * Milliseconds since the last attempt; undefined when there was none in the last hour. Attempts have the times of
 * workers, which may be later than PostgreSQL's.
 */
export async function sinceLastAttempt(
  em: EntityManager,
  { id, tenantId }: Destination,
): Promise<number | undefined> {
  const last = await rowOf(
    em,
    SinceRow,
    sql`select greatest(0, extract(epoch from now() - at) * 1000)::float8 as since from attempt
      where endpoint_id = ${id} and api_key_id = ${tenantId} and at > now() - interval '1 hour'
      order by at desc limit 1`,
  );
  return last?.since;
}
