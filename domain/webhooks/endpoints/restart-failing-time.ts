import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { tablesOf } from '../../tables.ts';

/** The kinds of endpoints to which advanced webhooks deliver. */
const advancedKinds = [endpointKinds.advanced, endpointKinds.application] as const;

/**
 * Restarts the time of failures of the endpoints of keys, by surrogate key, after a time in which nothing was sent to them.
 * `only`: those of advanced webhooks, or all.
 */
export async function restartFailingTime(
  em: EntityManager,
  keyIds: readonly string[],
  only: 'advanced' | 'all',
): Promise<void> {
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ failing_since: null })
    .where('api_key_id', '=', sql<string>`any(${keyIds}::bigint[])`)
    .where('deleted_at', 'is', null)
    .where('failing_since', 'is not', null)
    .$if(only === 'advanced', (update) => update.where('kind', 'in', advancedKinds))
    .execute();
}
