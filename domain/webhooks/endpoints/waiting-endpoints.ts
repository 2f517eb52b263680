import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { anyOfIds } from '../../../platform/database/statements.ts';
import { tablesOf } from '../../tables.ts';
import type { WaitingEndpoint } from '../delivery/find-waiting.ts';
import { messageStatuses } from '../delivery/message.ts';

/** Max keys, and max endpoints, whose workflows a call wakes; the sweep wakes the others. */
export const maxWoken = 1_000;

/**
 * Up to `maxWoken` enabled endpoints of keys, by surrogate key, with pending messages, such as messages held without a
 * usable public key. `kinds`: kinds of endpoint rows that are served.
 */
export async function waitingEndpoints(
  em: EntityManager,
  keyIds: readonly string[],
  kinds: readonly number[],
): Promise<WaitingEndpoint[]> {
  return tablesOf(em)
    .selectFrom('webhook_endpoint as w')
    .innerJoin('api_key as k', 'k.id', 'w.api_key_id')
    .crossJoinLateral((row) =>
      row
        .selectFrom('delivery as d')
        .select('d.status')
        .whereRef('d.endpoint_id', '=', 'w.id')
        .where('d.status', '=', sql.lit(messageStatuses.pending))
        .limit(sql.lit(1))
        .as('d'),
    )
    .select(['k.public_id as keyId', 'w.public_id as endpointId'])
    .where('w.api_key_id', '=', anyOfIds(keyIds))
    .where(sql<boolean>`w.kind = any(${kinds})`)
    .where('w.deleted_at', 'is', null)
    .where('w.disabled_at', 'is', null)
    .orderBy('w.api_key_id')
    .orderBy('w.id')
    .limit(sql.lit(maxWoken))
    .execute();
}
