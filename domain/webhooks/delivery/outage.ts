import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { isListed } from './listed-messages.ts';
import { messageStatuses } from './message.ts';
import { sinceLastAttempt } from './record.ts';
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

const probeBounds = { minMs: 1_000, maxMs: 300_000 } as const;

/** Milliseconds between probes: a quarter of the time for which the endpoint has failed. */
const probeIntervalMs = (failingMs: number): number =>
  Math.min(Math.max(failingMs / 4, probeBounds.minMs), probeBounds.maxMs);

const endsOutage = ({ failingMs }: Destination): boolean => (failingMs ?? 0) >= minOutageMs;

const pending = sql.lit(messageStatuses.pending);

const WaitingRow = z.strictObject({ messages: z.number() });

async function manyWait(em: EntityManager, { id, tenantId }: Destination): Promise<boolean> {
  const waiting = await rowOf(
    em,
    WaitingRow,
    sql`select count(*)::int as messages from (
        select from delivery d
        where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending} and d.next_at > now()
        limit ${sql.lit(minWaitingMessages)}) w`,
  );
  return waiting?.messages === minWaitingMessages;
}

/**
 * Extra attempts by which a message may exceed its scheduled ones. They limit an endpoint that rejects
 * some messages and accepts others: each success looks like a recovery.
 */
const extraAttempts = 3;

/** Messages per statement. */
const batchSize = 1_000;

const ScannedRow = z.strictObject({ last: z.string().nullable() });

/**
 * Makes up to `max` of the next 1,000 retries after a time due, except those that `Retry-After` delays. `spares`: also
 * except those that got their extra attempts. Returns the due time of the last message it scanned, undefined at the end.
 */
async function bringForward(
  em: EntityManager,
  { id, tenantId }: Destination,
  {
    after,
    max = batchSize,
    spares = false,
  }: { readonly after?: string | undefined; readonly max?: number; readonly spares?: boolean },
): Promise<string | undefined> {
  const scanned = await rowOf(
    em,
    ScannedRow,
    sql`with waiting as materialized (
       select d.event_at, d.event_id, d.next_at, d.not_before, d.attempts, d.step from delivery d
       where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending}
         and d.next_at > greatest(now(), ${after ?? null}::timestamptz)
       order by d.next_at limit ${sql.lit(batchSize)} for update skip locked),
     chosen as materialized (
       select * from waiting w where (w.not_before is null or w.not_before <= now())
         and (not ${spares} or w.attempts - w.step <= w.step + ${sql.lit(extraAttempts)}) order by w.next_at limit ${max}),
     moved as (
       update delivery set next_at = now()
       where endpoint_id = ${id} and api_key_id = ${tenantId} and ${isListed('chosen')})
     select max(next_at)::text as last from waiting`,
  );
  return scanned?.last ?? undefined;
}

/** A recovery that has not reached all waiting messages. */
export interface Recovery {
  /** Retries up to this database time were made due. */
  readonly until: string;
  /** The choice of its first batch, because the success that ends an outage also ends `failingMs`. */
  readonly spares: boolean;
}

/**
 * Call it after attempts were recorded. When they end an outage, each call makes one batch of retries due. Takes and
 * returns the recovery; undefined when no retries are left.
 */
export async function recover(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
  former: Recovery | undefined,
): Promise<Recovery | undefined> {
  const arrived = sent.some(({ outcome }) => outcome.error === null);
  const ended = arrived && endsOutage(destination) && (await manyWait(em, destination));
  if (!ended && former === undefined) return undefined;
  // A long outage has probed some messages many times.
  const spares = former?.spares ?? (destination.failingMs ?? 0) < longOutageMs;
  const until = await bringForward(em, destination, { after: former?.until, spares });
  return until === undefined ? undefined : { until, spares };
}

/** Makes one message due if the next probe is due. Returns whether it did. */
export async function probe(em: EntityManager, destination: Destination): Promise<boolean> {
  if (destination.failingMs === null) return false;
  const since = await sinceLastAttempt(em, destination);
  // Timers may fire early.
  const early = since !== undefined && since < 0.9 * probeIntervalMs(destination.failingMs);
  if (early || !(await manyWait(em, destination))) return false;
  await bringForward(em, destination, { max: 1 });
  return true;
}

/** Returns the milliseconds until the next probe; undefined when there is no outage. */
export async function nextProbe(em: EntityManager, destination: Destination): Promise<number | undefined> {
  const { failingMs } = destination;
  return failingMs !== null && (await manyWait(em, destination)) ? probeIntervalMs(failingMs) : undefined;
}
