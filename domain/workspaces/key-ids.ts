import { row } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';

/** An API key by its surrogate key and by its public id (`akid_…`). */
export interface KeyIds {
  readonly tenantId: string;
  readonly keyId: string;
}

/** By either of its ids; undefined for a key that is not there. */
export async function findKeyIds(
  em: EntityManager,
  known: Pick<KeyIds, 'tenantId'> | Pick<KeyIds, 'keyId'>,
): Promise<KeyIds | undefined> {
  const [condition, id] = 'keyId' in known ? ['public_id = $1', known.keyId] : ['id = $1', known.tenantId];
  return row<KeyIds>(em, `select id as "tenantId", public_id as "keyId" from api_key where ${condition}`, [
    id,
  ]);
}
