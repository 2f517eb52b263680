import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import { isListed } from './listed-messages.ts';
import { messageStatuses } from './message.ts';
import { sinceLastAttempt } from './record.ts';
import { lockRecovery, storeRecovery } from './recovery.ts';
import type { Destination } from './resolve.ts';
import type { SentMessage } from './send.ts';

/*
 * Outage recovery: while at least 10 messages wait for a retry, extra attempts probe the endpoint, and the first success
 * makes all of them due. Probes do not count as scheduled attempts. Fewer messages follow their schedule: the endpoint
 * may reject these messages rather than be down.
 */

/** Min messages waiting for a retry that count as an outage. */
const minWaitingMessages = 10;

/** Milliseconds without a success after which a success ends an outage. */
const minOutageMs = 5_000;

/** Milliseconds of failures after which a success is the end of a real outage. */
const longOutageMs = 300_000;

const probeBoundsMs = { min: 1_000, max: 300_000 } as const;

/** Milliseconds between probes: a quarter of the time for which the endpoint has failed. */
const probeIntervalMs = (failingMs: number): number =>
  Math.min(Math.max(failingMs / 4, probeBoundsMs.min), probeBoundsMs.max);

const endsOutage = ({ failingMs }: Destination): boolean => (failingMs ?? 0) >= minOutageMs;

const pending = sql.lit(messageStatuses.pending);

const WaitingRow = z.strictObject({ messages: z.number() });

async function manyWait(em: EntityManager, { id, tenantId }: Destination): Promise<boolean> {
  const { messages } = await onlyRowOf(
    em,
    WaitingRow,
    sql`select count(*)::int as messages from (
        select from delivery d
        where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending} and d.next_at > now()
        limit ${sql.lit(minWaitingMessages)}) w`,
  );
  return messages === minWaitingMessages;
}

/**
 * Extra attempts by which a message may exceed its scheduled ones. They limit an endpoint that rejects some messages and
 * accepts others: each success looks like a recovery.
 */
const extraAttempts = 3;

/** Messages per statement. */
const batchSize = 1_000;

const ScannedRow = z.strictObject({ last: z.string().nullable() });

/**
 * Makes up to `max` of the next 1,000 retries after a time due, except those that `Retry-After` delays. `spares`: also
 * except those that got their extra attempts. More than 1,000 only when the times of the last ones are equal. Returns the
 * due time of the last message it scanned, undefined at the end.
 */
async function bringForward(
  em: EntityManager,
  { id, tenantId }: Destination,
  {
    after,
    max,
    spares = false,
  }: { readonly after?: string | undefined; readonly max?: number; readonly spares?: boolean },
): Promise<string | undefined> {
  const later = sql`d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending}
    and d.next_at > greatest(now(), ${after ?? null}::timestamptz)`;
  const { last } = await onlyRowOf(
    em,
    ScannedRow,
    sql`with scanned as materialized (
       select max(s.next_at) as last from (
         select d.next_at from delivery d where ${later} order by d.next_at limit ${sql.lit(batchSize)}) s),
     waiting as materialized (
       select d.event_at, d.event_id, d.next_at, d.not_before, d.attempts, d.step from delivery d
       where ${later} and d.next_at <= (select last from scanned) order by d.next_at for update skip locked),
     chosen as materialized (
       select * from waiting w where (w.not_before is null or w.not_before <= now())
         and (not ${spares} or w.attempts - w.step <= w.step + ${sql.lit(extraAttempts)})
       order by w.next_at limit ${max ?? null}::int),
     moved as (
       update delivery set next_at = now()
       where endpoint_id = ${id} and api_key_id = ${tenantId} and ${isListed('chosen')})
     select last::text from scanned`,
  );
  return last ?? undefined;
}

/**
 * Call it after attempts were recorded. When they end an outage, makes the first batch of retries due, and stores how far
 * it came in the same transaction, so that later turns continue. Then each call makes one batch due. Returns whether
 * retries are left.
 */
export async function continueOutageRecovery(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
): Promise<boolean> {
  const arrived = sent.some(({ outcome, url }) => outcome.error === null && url === destination.url);
  const ended = arrived && endsOutage(destination) && (await manyWait(em, destination));
  const isDown = destination.failingMs !== null && !arrived;
  if (!ended && (!destination.recovering || isDown)) return false;
  const former = await lockRecovery(em, destination);
  if (!ended && former === undefined) return false;
  // A long outage has probed some messages many times.
  const isLong = (destination.failingMs ?? 0) >= longOutageMs;
  // After another outage, messages that the former recovery has passed may wait again. A recovery that spares none ends first:
  // otherwise an endpoint that fails again and again would get extra attempts without limit.
  const restarts = ended && (isLong || former?.spares !== false);
  const { after, spares } =
    former === undefined || restarts
      ? { after: undefined, spares: !isLong }
      : { after: former.until, spares: former.spares };
  const until = await bringForward(em, destination, { after, spares });
  await storeRecovery(em, destination, until === undefined ? undefined : { until, spares });
  return until !== undefined;
}

/** Makes one message due if the next probe is due. Returns whether it did. */
export async function probeOutage(em: EntityManager, destination: Destination): Promise<boolean> {
  if (destination.failingMs === null) return false;
  const since = await sinceLastAttempt(em, destination);
  // Timers may fire early.
  const early = since !== undefined && since < 0.9 * probeIntervalMs(destination.failingMs);
  if (early || !(await manyWait(em, destination))) return false;
  await bringForward(em, destination, { max: 1 });
  return true;
}

/** Returns the milliseconds until the next probe; undefined when there is no outage. */
export async function nextProbeIn(em: EntityManager, destination: Destination): Promise<number | undefined> {
  const { failingMs } = destination;
  return failingMs !== null && (await manyWait(em, destination)) ? probeIntervalMs(failingMs) : undefined;
}
