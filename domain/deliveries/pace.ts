import { sql, type RawBuilder } from 'kysely';
import { channelNumbers } from '../notices/channels.ts';
import type { Lane } from './write-deliveries.ts';

/*
 * Limits the rate of a key's channel. Its row holds the time of the next claim, so the limit covers all senders and
 * restarts. Claimed deliveries count whatever their outcome.
 */

/** SQL condition. A claim reserves at most 1 s: a later time was reserved before PostgreSQL's clock stepped back. */
export const isReserved = (nextAt: RawBuilder<unknown> = sql`next_at`): RawBuilder<boolean> =>
  sql`(${nextAt} > now() and ${nextAt} < now() + interval '1 minute')`;

/** SQL condition: the time of the last claim's deliveries has passed. */
export const isFree = ({ tenantId, channel }: Lane): RawBuilder<boolean> =>
  sql`not exists (select from channel_pace where api_key_id = ${tenantId}
    and channel = ${sql.lit(channelNumbers[channel])} and ${isReserved()})`;

/**
 * SQL that reserves the time of the deliveries in `due` and returns a row. It returns none when another sender reserved
 * the time first: each waits for the row, and compares it with the start of its own transaction.
 */
export const takeShare = ({ tenantId, channel }: Lane, perSecond: number): RawBuilder<unknown> =>
  sql`insert into channel_pace as p (api_key_id, channel, next_at)
    select ${tenantId}::bigint, ${sql.lit(channelNumbers[channel])}::smallint,
      now() + count(*) * ${1 / perSecond}::float8 * interval '1 second' from due having count(*) > 0
    on conflict (api_key_id, channel) do update set next_at = excluded.next_at where not ${isReserved(sql`p.next_at`)}
    returning p.next_at`;
