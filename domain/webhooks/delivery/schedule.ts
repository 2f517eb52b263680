import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { rowOf } from '../../../platform/database/statements.ts';
import { cancelWaiting } from './cancel-waiting.ts';
import { keptDays } from './claim.ts';
import { messageStatuses } from './message.ts';
import { nextProbe, probe } from './outage.ts';
import type { Destination } from './resolve.ts';
import type { TurnState } from './turn-state.ts';

/** Milliseconds until the next turn; undefined when nothing is pending. */
export interface TurnEnd {
  readonly nextIn: number | undefined;
}

/** Milliseconds until the next turn while another process holds the claims of due messages. */
const claimedElsewhereMs = 1_000;

/**
 * With no request in flight: returns when the next turn is due, or the state with which this one continues. `nothingDue`:
 * the last poll was empty and the promise to poll is over.
 */
export async function schedule(
  em: EntityManager,
  state: TurnState,
  nothingDue: boolean,
): Promise<TurnEnd | TurnState> {
  const { destination, hasClaimed, hasProbed } = state;
  if (destination?.state !== 'open') return scheduleClosed(em, destination);
  if (!nothingDue) return state;
  if (!hasClaimed && !hasProbed && (await probe(em, destination))) return { ...state, hasProbed: true };
  const wait = await nextDue(em, destination);
  if (wait === undefined) return { nextIn: undefined };
  const probeIn = (await nextProbe(em, destination)) ?? wait;
  return { nextIn: Math.max(Math.min(wait, probeIn), hasClaimed ? 0 : claimedElsewhereMs) };
}

/** Cancels the pending messages of a disabled or deleted endpoint; others wait for a configuration change or a resume. */
async function scheduleClosed(em: EntityManager, destination: Destination | undefined): Promise<TurnEnd> {
  if (destination?.state !== 'disabled' && destination?.state !== 'deleted') return { nextIn: undefined };
  return { nextIn: (await cancelWaiting(em, destination, destination.state)) ? 0 : undefined };
}

const NextRow = z.strictObject({ wait: z.number() });

/**
 * Returns the milliseconds until the next message is due; undefined when none is pending. A message that another process
 * has claimed is due when the claim ends.
 */
async function nextDue(em: EntityManager, { id, tenantId }: Destination): Promise<number | undefined> {
  const next = await rowOf(
    em,
    NextRow,
    sql`select (extract(epoch from
        case when d.next_at > now() then d.next_at else coalesce(d.claimed_until, now()) end - now()) * 1000)::float8 as wait
      from delivery d where d.endpoint_id = ${id} and d.api_key_id = ${tenantId} and d.status = ${sql.lit(messageStatuses.pending)}
        and d.next_at is not null and d.event_at >= now() - ${keptDays} * interval '1 day'
      order by d.next_at limit 1`,
  );
  return next && Math.max(0, next.wait);
}
