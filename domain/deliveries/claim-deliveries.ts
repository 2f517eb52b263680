import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import type { StoredAttempt } from '../notices/attempt.ts';
import { channelNumbers } from '../notices/channels.ts';
import type { NoticeQuery } from './read-notices.ts';
import { isFree, takeShare } from './pace.ts';
import type { Lane } from './write-deliveries.ts';

/** Seconds until a claim lapses, by PostgreSQL's clock. */
const claimSeconds = 90;

/** Milliseconds after claiming within which attempts may begin: at least 35 s of the claim remain. */
export const sendWithinMs = (claimSeconds - 35) * 1_000;

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
export type Claimed = Readonly<z.infer<typeof ClaimedRow>>;

export interface ClaimOptions {
  readonly max: number;
  /** Deliveries per second of the channel of the key; undefined: no limit. */
  readonly perSecond: number | undefined;
  /** Only deliveries that have been due for at least this many milliseconds. */
  readonly dueForMs?: number;
}

/**
 * Claims up to `max` due deliveries, longest due first, and counts an attempt of each, in one statement. With `perSecond`
 * a claim holds at most the deliveries of 1 s, and the next claim waits until their time has passed.
 */
export async function claimDeliveries(
  orm: Orm,
  { tenantId, channel, now }: Lane & Pick<NoticeQuery, 'now'>,
  { max, perSecond, dueForMs = 0 }: ClaimOptions,
): Promise<Claimed[]> {
  const lane = { tenantId, channel };
  const limit = perSecond === undefined ? max : Math.min(max, perSecond);
  return inTransaction(orm, async (em) =>
    rowsOf(
      em,
      ClaimedRow,
      sql`with due as materialized (
        select id, claimed_until, next_at from outgoing
        where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])} and next_at <= ${now} - ${dueForMs}::float8 * interval '1 millisecond'
          and (claimed_until is null or claimed_until < now()) and ${perSecond === undefined ? sql`true` : isFree(lane)}
        order by next_at limit ${limit} for update skip locked),
      paced as (${perSecond === undefined ? sql`select` : takeShare(lane, perSecond)}),
      claimed as (
        update outgoing o set claimed_until = now() + ${sql.lit(claimSeconds)} * interval '1 second',
          attempts = (o.attempts::jsonb || jsonb_build_array(jsonb_build_object(
            'number', jsonb_array_length(o.attempts::jsonb) + 1, 'at', floor(extract(epoch from now()) * 1000),
            'outcome', 'unknown', 'code', null, 'durationMs', 0)))::json
        from due d where o.id = d.id and o.id = any(array(select id from due)) and exists (select from paced)
        returning o.id, o.public_id, o.org_id as organization, o.user_id as "user", o.attempts,
          d.claimed_until is not null as lapsed, o.claimed_until::text, d.next_at)
      select c.id, c.public_id, c.organization, c."user", c.attempts, c.lapsed, c.claimed_until,
        array(select n.id::text from notice n where n.delivery_id = c.id order by n.due_at, n.id) as notices
      from claimed c order by c.next_at`,
    ),
  );
}
