import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { messageStatuses } from './message.ts';
import { sinceLastAttempt } from './record.ts';
import type { Destination } from './resolve.ts';
import type { SentMessage } from './send.ts';

/*
 * A receiver that was away for half a minute shall not wait for the five minutes of the schedule. While many messages
 * wait for a retry, one of them is tried beside the schedule now and then; the first success brings all of them forward.
 * Such attempts cost a message none of its schedule. With fewer messages it may be these that are unfit, not the receiver
 * that is out: they keep to their schedule alone.
 */

/** Messages that wait for a retry. */
const many = 10;

/** Milliseconds without a success, after which a success is the end of an outage. */
const minOutage = 5_000;

const probeBounds = { least: 1_000, most: 300_000 } as const;

/** Milliseconds between two attempts beside the schedule: a quarter of the time that the endpoint has failed for. */
const probeEvery = (failingFor: number): number =>
  Math.min(Math.max(failingFor / 4, probeBounds.least), probeBounds.most);

const endsOutage = ({ failingFor }: Destination): boolean => (failingFor ?? 0) >= minOutage;

const pending = sql.lit(messageStatuses.pending);

const WaitingRow = z.strictObject({ messages: z.number() });

async function manyWait(em: EntityManager, { id, tenantId }: Destination): Promise<boolean> {
  const waiting = await rowOf(
    em,
    WaitingRow,
    sql`select count(*)::int as messages from (
        select from delivery d
        where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending} and d.next_at > now()
        limit ${sql.lit(many)}) w`,
  );
  return waiting?.messages === many;
}

/** Messages that one statement looks at. */
const atOnce = 1_000;

const LookedRow = z.strictObject({ last: z.string().nullable() });

/**
 * Makes messages due that wait for their retry, `most` of the next thousand after a time; but for those whose receiver has
 * asked to wait. Answers the time of the last one it looked at: undefined at the end.
 */
async function bringForward(
  em: EntityManager,
  { id, tenantId }: Destination,
  { after, most = atOnce }: { readonly after?: string | undefined; readonly most?: number },
): Promise<string | undefined> {
  const looked = await rowOf(
    em,
    LookedRow,
    sql`with waiting as materialized (
       select d.event_at, d.event_id, d.next_at, d.not_before from delivery d
       where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${pending}
         and d.next_at > greatest(now(), ${after ?? null}::timestamptz)
       order by d.next_at limit ${sql.lit(atOnce)} for update skip locked),
     chosen as materialized (
       select * from waiting w where w.not_before is null or w.not_before <= now() order by w.next_at limit ${most}),
     moved as (
       update delivery set next_at = now()
       where endpoint_id = ${id} and api_key_id = ${tenantId} and event_at = any(array(select event_at from chosen))
         and event_id = any(array(select event_id from chosen)))
     select max(next_at)::text as last from waiting`,
  );
  return looked?.last ?? undefined;
}

/**
 * After attempts were recorded: brings forward what waits, a part a call, when they have ended an outage. Takes and returns
 * the time up to which messages have been brought forward; undefined when none are left to bring forward.
 */
export async function recover(
  em: EntityManager,
  destination: Destination,
  sent: readonly SentMessage[],
  recoveredUntil: string | undefined,
): Promise<string | undefined> {
  const arrived = sent.some(({ outcome }) => outcome.error === null);
  const ended = arrived && endsOutage(destination) && (await manyWait(em, destination));
  if (!ended && recoveredUntil === undefined) return undefined;
  return bringForward(em, destination, { after: recoveredUntil });
}

/** Makes one message due when it is time for that. Returns whether it did. */
export async function probe(em: EntityManager, destination: Destination): Promise<boolean> {
  if (destination.failingFor === null) return false;
  const since = await sinceLastAttempt(em, destination);
  // A timer may be a little early.
  const early = since !== undefined && since < 0.9 * probeEvery(destination.failingFor);
  if (early || !(await manyWait(em, destination))) return false;
  await bringForward(em, destination, { most: 1 });
  return true;
}

/** Milliseconds until the next probe; undefined when there is no outage. */
export async function nextProbe(em: EntityManager, destination: Destination): Promise<number | undefined> {
  const { failingFor } = destination;
  return failingFor !== null && (await manyWait(em, destination)) ? probeEvery(failingFor) : undefined;
}
