import { sql } from 'kysely';
import { tablesOf } from '../../tables.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import { disabledForPersonalData } from '../../../platform/database/planner.ts';
import type { PersonPlace } from './place.ts';

/** Lets a step find its rows along an index, one after the other, in no other way: see `disabledForPersonalData`. */
export function byIndexAlone(place: PersonPlace): PersonPlace {
  return {
    ...place,
    async remove(em, scope, after) {
      await walkIndexes(em);
      return place.remove(em, scope, after);
    },
    async count(em, scope, after) {
      await walkIndexes(em);
      return place.count(em, scope, after);
    },
  };
}

/** Until the end of the transaction. */
async function walkIndexes(em: EntityManager): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(${disabledForPersonalData}::text[]) as s (name)`.execute(
    tablesOf(em),
  );
}
