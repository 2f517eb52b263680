import { row, rows } from '../../../platform/database/sql.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { Destination } from './destination.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { sourceOf, type Message } from './payload.ts';

/** A message that this process sends now. */
export interface ClaimedMessage extends Message {
  /** The key of the delivery, beside its endpoint. */
  readonly eventAt: string;
  readonly eventId: string;
  /** Attempts that the schedule has made before. */
  readonly step: number;
  /** Somebody asked for this attempt. */
  readonly manual: boolean;
  /** The schedule has its next attempt later: this one is made beside it. */
  readonly early: boolean;
  /** The claim's fencing token: a message is claimed again only after it, by a claim that ends later. */
  readonly claimedUntil: string;
}

/** Days for which events, messages and attempts are kept, and one for what began before the last midnight. */
export const keptDays = 31;

/** Days of partitions that are looked into between two whole looks: what waits longer was due before, or is a last retry. */
export const recentDays = 2;

interface ClaimedRow {
  readonly event_at: string;
  readonly event_id: string;
  readonly sequence: string | null;
  readonly step: number;
  readonly manual: boolean;
  readonly early: boolean;
  readonly claimed_until: string;
  readonly public_id: string;
  readonly type: string;
  readonly channels: string[] | null;
  readonly data: string;
  readonly at: number;
}

/** The same in all statements of a transaction. */
const claimEnd = `now() + interval '30 seconds'`;

/**
 * Claims messages that are due, for half a minute: should the process die with them, they are due again after it. Belongs
 * into the transaction of `lockDestination`, and only what that one calls open may be claimed.
 */
export async function claimDue(
  em: EntityManager,
  destination: Destination,
  { most, days }: { readonly most: number; readonly days: number },
): Promise<ClaimedMessage[]> {
  const due = await lockDue(em, destination, most, days);
  if (due.length > 0) await claim(em, destination, due);
  return due;
}

async function lockDue(
  em: EntityManager,
  { id, tenantId, kind }: Destination,
  most: number,
  days: number,
): Promise<ClaimedMessage[]> {
  const due = await rows<ClaimedRow>(
    em,
    `with due as (
       select d.event_at, d.event_id, d.sequence, d.step, d.resends, d.retry_at from delivery d
       where d.endpoint_id = $1 and d.api_key_id = $2 and d.status = 0 and d.next_at <= now()
         and d.event_at between now() - $4 * interval '1 day' and now() and (d.claimed_until is null or d.claimed_until < now())
       order by d.next_at limit $3 for update skip locked)
     select d.event_at::text, d.event_id, d.sequence, d.step, d.resends > 0 as manual,
       coalesce(d.retry_at > now(), false) as early, (${claimEnd})::text as claimed_until, e.public_id, e.type,
       case when $5 then e.channels end as channels,
       e.payload::text as data, extract(epoch from e.at)::float8 * 1000 as at
     from due d cross join lateral (
       select * from event e where e.at = d.event_at and e.id = d.event_id and e.api_key_id = $2
         and e.at between now() - $4 * interval '1 day' and now() limit 1) e`,
    // Only a provider is told the channels: to read lists takes a while.
    [id, tenantId, most, days, kind === endpointKinds.application],
  );
  return due.map((found) => ({
    eventAt: found.event_at,
    eventId: found.event_id,
    webhookId: found.public_id,
    type: found.type,
    source: sourceOf(found.data),
    sequence: found.sequence === null ? null : Number(found.sequence),
    channels: found.channels ?? [],
    data: found.data,
    at: Math.floor(found.at),
    step: found.step,
    manual: found.manual,
    early: found.early,
    claimedUntil: found.claimed_until,
  }));
}

async function claim(
  em: EntityManager,
  { id, tenantId }: Destination,
  due: readonly ClaimedMessage[],
): Promise<void> {
  const { from, to } = spanOf(due);
  await rows(
    em,
    `update delivery set claimed_until = ${claimEnd}
     where endpoint_id = $1 and api_key_id = $2 and event_at = any($3::timestamptz[]) and event_id = any($4::bigint[])
       and event_at between to_timestamp($5::float8) and to_timestamp($6::float8)`,
    [id, tenantId, due.map(({ eventAt }) => eventAt), due.map(({ eventId }) => eventId), from, to],
  );
}

/** Between which seconds messages happened: a statement that is told so opens the partitions of these days alone. */
export function spanOf(messages: readonly { readonly at: number }[]): {
  readonly from: number;
  readonly to: number;
} {
  const times = messages.map(({ at }) => at);
  return { from: Math.min(...times) / 1_000 - 1, to: Math.max(...times) / 1_000 + 1 };
}

/** Milliseconds until something is due again, undefined when nothing waits. What another process has claimed is due when its claim ends. */
export async function nextDue(em: EntityManager, { id, tenantId }: Destination): Promise<number | undefined> {
  const next = await row<{ wait: number }>(
    em,
    `select (extract(epoch from case when d.next_at > now() then d.next_at else coalesce(d.claimed_until, now()) end - now()) * 1000)::float8 as wait
     from delivery d where d.endpoint_id = $1 and d.api_key_id = $2 and d.status = 0 and d.next_at is not null
       and d.event_at >= now() - $3 * interval '1 day'
     order by d.next_at limit 1`,
    [id, tenantId, keptDays],
  );
  return next && Math.max(0, next.wait);
}

/** Messages that one statement ends. */
const atOnce = 1_000;

const reasons = {
  disabled: 'The endpoint was disabled.',
  deleted: 'The endpoint was deleted.',
} as const;

/** Ends what waits for an endpoint that gets nothing any more, a batch at a time; says whether there may be more. */
export async function cancelWaiting(
  em: EntityManager,
  { id, tenantId }: Destination,
  state: keyof typeof reasons,
): Promise<boolean> {
  const ended = await rows(
    em,
    `with waiting as (
       select d.event_at, d.event_id from delivery d
       where d.endpoint_id = $1 and d.api_key_id = $2 and d.status = 0 limit ${String(atOnce)} for update skip locked)
     update delivery set status = 3, status_reason = $3, retry_at = null, next_at = null, resends = 0
     where endpoint_id = $1 and api_key_id = $2 and event_at = any(array(select event_at from waiting))
       and event_id = any(array(select event_id from waiting))
     returning 1 as one`,
    [id, tenantId, reasons[state]],
  );
  return ended.length === atOnce;
}
