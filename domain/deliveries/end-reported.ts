import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { anyOf } from '../../platform/database/statements.ts';
import { channelNumbers } from '../notices/channels.ts';
import { tablesOf } from '../tables.ts';
import { claimAttempted } from './claim-deliveries.ts';
import { lockReaders } from './read-notices.ts';
import { recordWithin } from './record-outcomes.ts';

/** Returns whether one of these deliveries has had an attempt and has not ended. */
export async function anyUnended(
  em: EntityManager,
  tenantId: string,
  deliveryIds: readonly string[],
): Promise<boolean> {
  const found = await attempted(em, tenantId, deliveryIds).limit(sql.lit(1)).executeTakeFirst();
  return found !== undefined;
}

const attempted = (em: EntityManager, tenantId: string, deliveryIds: readonly string[]) =>
  tablesOf(em)
    .selectFrom('outgoing')
    .select('user_id')
    .where('public_id', '=', anyOf(deliveryIds))
    .where('api_key_id', '=', tenantId)
    .where('channel', '=', sql.lit(channelNumbers.email))
    .where(sql<boolean>`json_array_length(attempts) > 0`);

/**
 * Ends e-mails as sent that SendGrid has reported although their last attempt failed or is unknown, so that no second one
 * is sent. Skips those that a sender has claimed. Returns the number of deliveries that it has ended.
 */
export async function endReported(
  em: EntityManager,
  tenantId: string,
  deliveryIds: readonly string[],
): Promise<number> {
  const lane = { tenantId, channel: 'email' } as const;
  const ended = { kind: 'ended', status: 'sent', reason: null, provider: 'sendgrid' } as const;
  const readers = await attempted(em, tenantId, deliveryIds).execute();
  await lockReaders(
    em,
    readers.map(({ user_id }) => user_id),
  );
  const claimed = await claimAttempted(em, lane, deliveryIds);
  const recorded = claimed.map((delivery) => ({
    ...ended,
    delivery,
    attempts: delivery.attempts,
    reference: null,
    suppress: null,
  }));
  if (recorded.length > 0) await recordWithin(em, lane, { recorded, moved: [], dropped: [], removed: [] });
  return recorded.length;
}
