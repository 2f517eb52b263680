import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { disabledForPersonalData } from '../../../platform/database/planner.ts';
import { tablesOf } from '../../tables.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/**
 * Until the end of the transaction, or until a store enables another, allows only plans that read rows in index order:
 * see `disabledForPersonalData`.
 */
export async function allowIndexScansOnly(em: EntityManager): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(${disabledForPersonalData}::text[]) as s (name)`.execute(
    tablesOf(em),
  );
}

/** For a store that enables other plans: disables them again for the next store in the transaction. */
export function indexScansOnlyAfter(store: PersonalDataStore): PersonalDataStore {
  return {
    ...store,
    async remove(em, scope, after) {
      const step = await store.remove(em, scope, after);
      await allowIndexScansOnly(em);
      return step;
    },
  };
}
