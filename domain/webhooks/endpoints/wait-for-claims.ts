import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { advancedKinds } from '../../events/endpoint-kinds.ts';
import { tablesOf } from '../../tables.ts';

/**
 * Waits until the messages of a key's advanced webhooks that are being claimed are committed, and blocks further claims
 * until the transaction ends. Call it in the transaction that writes their configuration: `resolve` reads it after it has
 * locked the endpoint, so afterwards only an attempt that is already connecting follows the former configuration.
 */
export async function waitForClaims(em: EntityManager, apiKeyId: string): Promise<void> {
  await tablesOf(em)
    .selectFrom((endpoints) =>
      endpoints
        .selectFrom('webhook_endpoint')
        .select('id')
        .where('api_key_id', '=', apiKeyId)
        .where('deleted_at', 'is', null)
        .where('kind', 'in', advancedKinds)
        // The lock order of the fan-out.
        .orderBy('id')
        .forUpdate()
        .as('locked'),
    )
    .select(sql<number>`count(*)::int`.as('count'))
    .execute();
}
