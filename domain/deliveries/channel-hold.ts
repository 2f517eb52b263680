import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import { nameOfNumber } from '../name-of-number.ts';
import { channelNumbers } from '../notices/channels.ts';
import { heldReasons, missingSettings, type HeldReason } from '../notices/statuses.ts';
import { tablesOf } from '../tables.ts';
import type { Lane } from './write-deliveries.ts';

/** Why a channel of a key does not send, and until when. */
export interface Hold {
  readonly reason: HeldReason;
  /** Milliseconds until the next attempt; 0 or less: due. */
  readonly waitMs: number;
}

const HoldRow = z.strictObject({ reason: z.number(), wait_ms: z.number() });

export async function readHold(em: EntityManager, { tenantId, channel }: Lane): Promise<Hold | undefined> {
  const found = await rowOf(
    em,
    HoldRow,
    sql`select reason, coalesce(extract(epoch from next_try - now()) * 1000, 0)::float8 as wait_ms from channel_state
      where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])} and reason is not null`,
  );
  return found && { reason: nameOfNumber(heldReasons, found.reason), waitMs: found.wait_ms };
}

/** Seconds until the next attempt, 10 to 300: 5 more than the time since the first failure, so that the delay doubles. */
const doubling = sql`least(greatest(extract(epoch from now() - channel_state.since) + 5, 10), 300)`;

/** Seconds between attempts with refused credentials or missing settings, while the settings do not change. */
const settingsSeconds = 600;

/**
 * Holds the channel of the key until its next attempt. `pauseMs`: the pause that the provider requests. Without it the
 * delay is 5 s doubling to 5 minutes after failed connections, and 10 minutes where the settings must change.
 */
export async function holdChannel(
  em: EntityManager,
  { tenantId, channel }: Lane,
  reason: HeldReason,
  pauseMs?: number,
): Promise<void> {
  const unreachable = reason === 'unreachable' || reason === 'certificate-refused';
  const first = pauseMs === undefined ? (unreachable ? 5 : settingsSeconds) : pauseMs / 1_000;
  const next = pauseMs === undefined && unreachable ? doubling : sql`${first}::float8`;
  const number = sql.lit(heldReasons[reason]);
  await sql`insert into channel_state (api_key_id, channel, reason, since, next_try)
    values (${tenantId}, ${sql.lit(channelNumbers[channel])}, ${number}, now(), now() + ${first}::float8 * interval '1 second')
    on conflict (api_key_id, channel) do update set reason = excluded.reason,
      since = case when channel_state.reason = excluded.reason then channel_state.since else now() end,
      next_try = now() + case when channel_state.reason = excluded.reason then ${next} else ${first}::float8 end * interval '1 second'`.execute(
    tablesOf(em),
  );
}

/** Ends the hold of the channel, unless it is held for another reason meanwhile. */
export async function endHold(
  em: EntityManager,
  { tenantId, channel }: Lane,
  { reason }: Pick<Hold, 'reason'>,
): Promise<void> {
  await sql`delete from channel_state where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])}
    and reason = ${sql.lit(heldReasons[reason])}`.execute(tablesOf(em));
}

const missing = sql`${[...missingSettings].map((reason) => heldReasons[reason])}::smallint[]`;

/**
 * Ends the hold of a channel on which nothing waits: no attempt would end it, and it would be reported until the next
 * message. Keeps a hold that is not due for that message, unless each turn reads its cause from the settings. Refused
 * credentials stay reported: they are refused still.
 */
export async function endIdleHold(em: EntityManager, { tenantId, channel }: Lane): Promise<void> {
  const refused = sql.lit(heldReasons['credentials-refused']);
  await sql`delete from channel_state where api_key_id = ${tenantId} and channel = ${sql.lit(channelNumbers[channel])}
    and (reason = any(${missing}) or next_try <= now() and reason <> ${refused})`.execute(tablesOf(em));
}
