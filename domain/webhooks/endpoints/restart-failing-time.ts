import type { Expression } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { advancedKinds } from '../../events/endpoint-kinds.ts';
import { tablesOf } from '../../tables.ts';

/**
 * Restarts the time of failures of the endpoints of a key, by surrogate key, or of the keys that a query selects, after
 * nothing was sent to them for a while. `only`: those of advanced webhooks, or all.
 */
export async function restartFailingTime(
  em: EntityManager,
  keys: string | Expression<string>,
  only: 'advanced' | 'all',
): Promise<void> {
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ failing_since: null })
    .where((row) => (typeof keys === 'string' ? row('api_key_id', '=', keys) : row('api_key_id', 'in', keys)))
    .where('deleted_at', 'is', null)
    .where('failing_since', 'is not', null)
    .$if(only === 'advanced', (update) => update.where('kind', 'in', advancedKinds))
    .execute();
}
