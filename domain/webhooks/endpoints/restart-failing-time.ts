import type { Expression } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { advancedKinds, endpointKinds } from '../../events/endpoint-kinds.ts';
import { tablesOf } from '../../tables.ts';

const kindsOf = {
  all: Object.values(endpointKinds),
  advanced: advancedKinds,
  basic: [endpointKinds.basicRaw, endpointKinds.basicProcessed],
} as const;

/**
 * Restarts the time of failures of the endpoints of a key, by surrogate key, or of the keys that a query selects, after
 * nothing was sent to them for a while: webhooks were off, held without a usable public key, or with another provider.
 */
export async function restartFailingTime(
  em: EntityManager,
  keys: string | Expression<string>,
  kinds: keyof typeof kindsOf,
): Promise<void> {
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ failing_since: null })
    .where((row) => (typeof keys === 'string' ? row('api_key_id', '=', keys) : row('api_key_id', 'in', keys)))
    .where('deleted_at', 'is', null)
    .where('failing_since', 'is not', null)
    .where('kind', 'in', kindsOf[kinds])
    .execute();
}
