import { sql } from 'kysely';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { disabledForPersonalData } from '../../../platform/database/planner.ts';
import { tablesOf } from '../../tables.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Allows the batches of a store only plans that read rows in index order: see `disabledForPersonalData`. */
export function indexScansOnly(store: PersonalDataStore): PersonalDataStore {
  return {
    ...store,
    async remove(em, scope, after) {
      await allowIndexScansOnly(em);
      return store.remove(em, scope, after);
    },
    async count(em, scope, after) {
      await allowIndexScansOnly(em);
      return store.count(em, scope, after);
    },
  };
}

/** Disables other plans until the end of the transaction. */
async function allowIndexScansOnly(em: EntityManager): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(${disabledForPersonalData}::text[]) as s (name)`.execute(
    tablesOf(em),
  );
}
