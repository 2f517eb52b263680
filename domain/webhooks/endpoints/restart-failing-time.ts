import type { EntityManager } from '../../../platform/database/orm.ts';
import { endpointKinds } from '../../events/endpoint-kinds.ts';
import { tablesOf } from '../../tables.ts';

/** Restarts the time of failures of a key's advanced endpoints, after a time without attempts. */
export async function restartFailingTime(em: EntityManager, tenantId: string): Promise<void> {
  await tablesOf(em)
    .updateTable('webhook_endpoint')
    .set({ failing_since: null })
    .where('api_key_id', '=', tenantId)
    .where('kind', 'in', [endpointKinds.advanced, endpointKinds.application])
    .where('failing_since', 'is not', null)
    .execute();
}
