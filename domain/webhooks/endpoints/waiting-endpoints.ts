import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { tablesOf } from '../../tables.ts';
import { messageStatuses } from '../delivery/message.ts';

/** Max endpoints that a call wakes; the sweep wakes the others. */
const maxWoken = 1_000;

/**
 * Public ids of up to 1,000 enabled endpoints with pending messages, such as messages held without a usable public key.
 * `kinds`: kinds of endpoint rows that are served.
 */
export async function waitingEndpoints(
  em: EntityManager,
  tenantId: string,
  kinds: readonly number[],
): Promise<string[]> {
  const waiting = await tablesOf(em)
    .selectFrom('webhook_endpoint as w')
    .crossJoinLateral((row) =>
      row
        .selectFrom('delivery as d')
        .select('d.status')
        .whereRef('d.endpoint_id', '=', 'w.id')
        .where('d.status', '=', sql.lit(messageStatuses.pending))
        .limit(sql.lit(1))
        .as('d'),
    )
    .select('w.public_id')
    .where('w.api_key_id', '=', tenantId)
    .where(sql<boolean>`w.kind = any(${kinds})`)
    .where('w.deleted_at', 'is', null)
    .where('w.disabled_at', 'is', null)
    .orderBy('w.id')
    .limit(sql.lit(maxWoken))
    .execute();
  return waiting.map(({ public_id }) => public_id);
}
