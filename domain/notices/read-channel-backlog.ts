import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import type { Tenant } from '../tenancy/tenant.ts';
import { channelNumbers } from './channels.ts';
import { heldReasons, type HeldReason } from './statuses.ts';

/** Max deliveries of a channel that are counted. */
export const maxCountedDeliveries = 1_000;

const BacklogRow = z.strictObject({
  channel: z.number(),
  waiting: z.number(),
  reason: z.number().nullable(),
  since: z.date().nullable(),
});

/** Unsent notices and deliveries of a channel, and why the channel is held; null while it sends. */
export interface ChannelBacklog {
  readonly channel: keyof typeof channelNumbers;
  readonly waiting: number;
  readonly heldReason: HeldReason | null;
  readonly heldSince: Date | null;
}

/** Reads the backlog of each channel of a key. */
export async function readChannelBacklog(
  em: EntityManager,
  tenant: Pick<Tenant, 'id'>,
): Promise<readonly ChannelBacklog[]> {
  const found = await rowsOf(
    em,
    BacklogRow,
    sql`select c.channel, s.reason, case when s.reason is not null then s.since end as since,
        (select count(*)::int from (
          select from outgoing o where o.api_key_id = ${tenant.id} and o.channel = c.channel
          limit ${sql.lit(maxCountedDeliveries)}) o) as waiting
      from unnest(${Object.values(channelNumbers)}::smallint[]) as c (channel)
      left join channel_state s on s.api_key_id = ${tenant.id} and s.channel = c.channel`,
  );
  return found.map(({ channel, waiting, reason, since }) => ({
    channel: nameOfNumber(channelNumbers, channel),
    waiting,
    heldReason: reason === null ? null : nameOfNumber(heldReasons, reason),
    heldSince: since,
  }));
}
