import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { onlyRowOf } from '../../../platform/database/statements.ts';
import { cancelWaiting, type Cancelling } from './cancel-waiting.ts';
import { maxKeptDays } from './claim.ts';
import { messageStatuses } from './message.ts';
import { nextProbeIn, probeOutage } from './outage.ts';
import type { Destination } from './resolve.ts';
import type { TurnState } from './turn-state.ts';

/** Milliseconds until the next turn; undefined when nothing is pending. */
export interface TurnEnd {
  readonly nextIn: number | undefined;
}

/** Milliseconds until the next turn while another process holds claims or locks of due messages. */
const heldElsewhereMs = 1_000;

/** Due messages that `nextDue` reads to find the first claim that ends: more than all processes claim of one endpoint. */
const maxClaimed = 1_000;

/**
 * With no request in flight: returns when the next turn is due, or the state with which this one continues. `nothingDue`:
 * the last poll began no request, and the promise to poll is over. It found no message, or the process stalled until its
 * claim was too old to send.
 */
export async function endOrContinue(
  em: EntityManager,
  state: TurnState,
  nothingDue: boolean,
): Promise<TurnEnd | TurnState> {
  const { destination, hasClaimed, hasProbed } = state;
  if (destination?.state !== 'open') return endClosed(em, destination);
  if (!nothingDue) return state;
  if (!hasClaimed && !hasProbed && (await probeOutage(em, destination))) return { ...state, hasProbed: true };
  const wait = await nextDue(em, destination);
  if (wait === undefined) return { nextIn: undefined };
  const probeIn = (await nextProbeIn(em, destination)) ?? wait;
  return { nextIn: Math.max(Math.min(wait, probeIn), hasClaimed ? 0 : heldElsewhereMs) };
}

/** Cancels the pending messages of a disabled or deleted endpoint; others wait for a configuration change or a resume. */
async function endClosed(em: EntityManager, destination: Destination | undefined): Promise<TurnEnd> {
  if (destination?.state !== 'disabled' && destination?.state !== 'deleted') return { nextIn: undefined };
  return { nextIn: cancelAgainIn[await cancelWaiting(em, destination, destination.state)] };
}

/** Milliseconds until the next batch is canceled. */
const cancelAgainIn: Readonly<Record<Cancelling, number | undefined>> = {
  cancelled: 0,
  locked: heldElsewhereMs,
  none: undefined,
};

const NextRow = z.strictObject({ wait: z.number().nullable() });

/**
 * Returns the milliseconds until the next message is due; undefined when none is pending. A message that another process
 * has claimed is due when the claim ends.
 */
async function nextDue(em: EntityManager, { id, tenantId }: Destination): Promise<number | undefined> {
  const pending = sql`d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${sql.lit(messageStatuses.pending)}
    and d.event_at >= now() - ${maxKeptDays} * interval '1 day'`;
  const { wait } = await onlyRowOf(
    em,
    NextRow,
    sql`select (extract(epoch from least(
        (select d.next_at from delivery d
          where ${pending} and d.next_at is not null and (d.claimed_until is null or d.claimed_until <= now())
          order by d.next_at limit 1),
        (select min(c.claimed_until) from (
          select d.claimed_until from delivery d where ${pending} and d.next_at <= now()
          order by d.next_at limit ${sql.lit(maxClaimed)}) c where c.claimed_until > now())) - now()) * 1000)::float8 as wait`,
  );
  return wait === null ? undefined : Math.max(0, wait);
}
