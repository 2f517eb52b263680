import { sql } from 'kysely';
import { tablesOf } from '../../tables.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { offAtPlaces } from '../../../platform/database/planner.ts';
import type { PersonalDataStore } from './personal-data-store.ts';

/** Lets a step find its rows along an index, one after the other, in no other way: see `offAtPlaces`. */
export function indexScansOnly(store: PersonalDataStore): PersonalDataStore {
  return {
    ...store,
    async remove(em, scope, after) {
      await walkIndexes(em);
      return store.remove(em, scope, after);
    },
    async count(em, scope, after) {
      await walkIndexes(em);
      return store.count(em, scope, after);
    },
  };
}

/** Until the end of the transaction. */
async function walkIndexes(em: EntityManager): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(${offAtPlaces}::text[]) as s (name)`.execute(
    tablesOf(em),
  );
}
