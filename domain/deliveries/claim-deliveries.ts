import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import { channelNumbers } from '../notices/channels.ts';
import type { NoticeQuery } from './read-notices.ts';
import { isFree, takeShare } from './pace.ts';
import type { Lane } from './write-deliveries.ts';

/** Seconds until a claim lapses, by PostgreSQL's clock. */
export const claimSeconds = 90;

/** Milliseconds after claiming within which attempts may begin: at least 35 s of the claim remain. */
export const sendDeliveriesWithinMs = (claimSeconds - 35) * 1_000;

/** Max deliveries of a claim. */
export const maxClaimed = 50;

const ClaimedRow = z.strictObject({
  id: z.string(),
  public_id: z.string(),
  organization: z.string(),
  user: z.string(),
  attempts: z.custom<readonly StoredAttempt[]>(),
  /** An earlier claim lapsed. */
  lapsed: z.boolean(),
  /** The fencing token of the claim. */
  claimed_until: z.string(),
  notices: z.array(z.string()),
});

/**
 * A delivery that only this process may send until the claim lapses. Its last attempt is `unknown` until it is recorded.
 */
export type ClaimedDelivery = Readonly<z.infer<typeof ClaimedRow>>;

export interface ClaimOptions {
  readonly max: number;
  /** Deliveries per second of the channel of the key; undefined: no limit. */
  readonly perSecond: number | undefined;
}

/** Max deliveries of a channel that one search for expired ones reads. */
const maxExamined = 5_000;

/**
 * Claims up to `max` due deliveries, longest due first, and counts an attempt of each, in one statement. With `perSecond`
 * a claim holds at most the deliveries of 1 s, and the next claim waits until their time has passed.
 */
export async function claimDeliveries(
  orm: Orm,
  { tenantId, channel, now }: Lane & Pick<NoticeQuery, 'now'>,
  { max, perSecond }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const lane = { tenantId, channel };
  const limit = perSecond === undefined ? max : Math.min(max, perSecond);
  const due = sql`select id, claimed_until, next_at from outgoing
    where ${ofLane(lane)} and next_at <= ${now} and ${isUnclaimed} and ${perSecond === undefined ? sql`true` : isFree(lane)}
    order by next_at limit ${limit} for update skip locked`;
  return inTransaction(orm, async (em) =>
    claim(em, due, perSecond === undefined ? {} : { paced: takeShare(lane, perSecond) }),
  );
}

/**
 * Claims up to `maxClaimed` deliveries with a notice that has been ready for `readyMs` milliseconds, among the 5,000 of the
 * channel that are due first. They need not be due: an earlier attempt may have set a later time.
 */
export async function claimExpired(
  orm: Orm,
  { tenantId, channel, now }: Lane & Pick<NoticeQuery, 'now'>,
  readyMs: number,
): Promise<ClaimedDelivery[]> {
  const lane = { tenantId, channel };
  const expired = sql`select w.id from (
      select id, next_at from outgoing where ${ofLane(lane)} and ${isUnclaimed}
      order by next_at limit ${sql.lit(maxExamined)}) w
    where exists (
      select from notice n where n.delivery_id = w.id and n.due_at < ${now} - ${readyMs}::float8 * interval '1 millisecond')
    order by w.next_at limit ${sql.lit(maxClaimed)}`;
  const due = sql`select id, claimed_until, next_at from outgoing
    where ${ofLane(lane)} and id = any(array(${expired})) and ${isUnclaimed} for update skip locked`;
  return inTransaction(orm, async (em) => claim(em, due));
}

/**
 * Claims up to `maxClaimed` of these deliveries: those that have had an attempt and are not claimed. Counts no attempt. The
 * caller records their outcomes in the same transaction.
 */
export async function claimAttempted(
  em: EntityManager,
  lane: Lane,
  deliveryIds: readonly string[],
): Promise<ClaimedDelivery[]> {
  const due = sql`select id, claimed_until, next_at from outgoing
    where public_id = any(${deliveryIds}::text[]) and ${ofLane(lane)} and ${isUnclaimed} and json_array_length(attempts) > 0
    limit ${sql.lit(maxClaimed)} for update skip locked`;
  return claim(em, due, { attempts: sql`o.attempts` });
}

const ofLane = ({ tenantId, channel }: Lane): RawBuilder<unknown> =>
  sql`api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])}`;

const isUnclaimed = sql`(claimed_until is null or claimed_until < now())`;

/** SQL: the attempts of `o` and another one, which is `unknown` until it is recorded. */
const withAttempt = sql`(o.attempts::jsonb || jsonb_build_array(jsonb_build_object(
  'number', jsonb_array_length(o.attempts::jsonb) + 1, 'at', floor(extract(epoch from now()) * 1000),
  'outcome', 'unknown', 'code', null, 'durationMs', 0)))::json`;

/**
 * Claims the deliveries that the statement `due` locks. `paced`: a statement that returns no row when none may be claimed.
 * `attempts`: those of the claim.
 */
async function claim(
  em: EntityManager,
  due: RawBuilder<unknown>,
  {
    paced = sql`select`,
    attempts = withAttempt,
  }: { paced?: RawBuilder<unknown>; attempts?: RawBuilder<unknown> } = {},
): Promise<ClaimedDelivery[]> {
  return rowsOf(
    em,
    ClaimedRow,
    sql`with due as materialized (${due}),
      paced as (${paced}),
      claimed as (
        update outgoing o set claimed_until = now() + ${sql.lit(claimSeconds)} * interval '1 second',
          attempts = ${attempts}
        from due d where o.id = d.id and o.id = any(array(select id from due)) and exists (select from paced)
        returning o.id, o.public_id, o.org_id as organization, o.user_id as "user", o.attempts,
          d.claimed_until is not null as lapsed, o.claimed_until::text, d.next_at)
      select c.id, c.public_id, c.organization, c."user", c.attempts, c.lapsed, c.claimed_until,
        array(select n.id::text from notice n where n.delivery_id = c.id order by n.due_at, n.id) as notices
      from claimed c order by c.next_at`,
  );
}
