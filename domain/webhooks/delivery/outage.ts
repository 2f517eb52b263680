import { row } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Destination } from './destination.ts';

/*
 * A receiver that was away for half a minute shall not wait for the five minutes of the schedule. While many messages
 * wait for a retry, one of them is tried beside the schedule now and then; the first success brings all of them forward.
 * Such attempts cost a message none of its schedule. With fewer messages it may be these that are unfit, not the receiver
 * that is out: they keep to their schedule alone.
 */

/** Messages that wait for a retry. */
const many = 10;

/** Milliseconds without a success, after which a success is the end of an outage. */
const leastOutage = 5_000;

const probeBounds = { least: 1_000, most: 300_000 } as const;

/** Milliseconds between two attempts beside the schedule: a quarter of the time that the endpoint has failed for. */
export const probeEvery = (failingFor: number): number =>
  Math.min(Math.max(failingFor / 4, probeBounds.least), probeBounds.most);

export const endsOutage = ({ failingFor }: Destination): boolean => (failingFor ?? 0) >= leastOutage;

export async function manyWait(em: EntityManager, { id, tenantId }: Destination): Promise<boolean> {
  const waiting = await row<{ messages: number }>(
    em,
    `select count(*)::int as messages from (
       select from delivery d where d.endpoint_id = $1 and d.api_key_id = $2 and d.status = 0 and d.next_at > now()
       limit ${String(many)}) w`,
    [id, tenantId],
  );
  return waiting?.messages === many;
}

/** Messages that one statement looks at. */
const atOnce = 1_000;

/**
 * Makes messages due that wait for their retry, `most` of the next thousand after a time; but for those whose receiver has
 * asked to wait. Answers the time of the last one it looked at: undefined at the end.
 */
export async function bringForward(
  em: EntityManager,
  { id, tenantId }: Destination,
  { after, most = atOnce }: { readonly after?: string | undefined; readonly most?: number },
): Promise<string | undefined> {
  const looked = await row<{ last: string | null }>(
    em,
    `with waiting as materialized (
       select d.endpoint_id, d.event_at, d.event_id, d.next_at, d.not_before from delivery d
       where d.endpoint_id = $1 and d.api_key_id = $2 and d.status = 0 and d.next_at > greatest(now(), $3::timestamptz)
       order by d.next_at limit ${String(atOnce)} for update skip locked),
     chosen as materialized (
       select * from waiting w where w.not_before is null or w.not_before <= now() order by w.next_at limit $4),
     moved as (
       update delivery d set next_at = now() from chosen c
       where d.endpoint_id = c.endpoint_id and d.api_key_id = $2 and d.event_at = c.event_at and d.event_id = c.event_id)
     select max(next_at)::text as last from waiting`,
    [id, tenantId, after ?? null, most],
  );
  return looked?.last ?? undefined;
}
