import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { disabledOfKey, type Disabled } from './authenticate.ts';

/** Returns why calls of a key are refused by now, by its surrogate key; null for an active or deleted key. */
export async function readDisabled(em: EntityManager, apiKeyId: string): Promise<Disabled | null> {
  const found = await tablesOf(em)
    .selectFrom('api_key as k')
    .select(sql<Disabled | null>`${disabledOfKey}`.as('disabled'))
    .where((row) => row.and({ 'k.id': apiKeyId, 'k.deleted_at': null }))
    .executeTakeFirst();
  return found?.disabled ?? null;
}
