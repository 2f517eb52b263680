import { sql } from 'kysely';
import { tablesOf } from '../../tables.ts';
import type { EntityManager } from '../../../platform/database/orm.ts';
import type { PersonPlace } from './place.ts';

/**
 * Lets a step find its rows along an index, one after the other, in no other way: PostgreSQL does not know how many rows a
 * person has, and a plan that first collects all of them to take a few reads millions again and again.
 */
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

/** What PostgreSQL leaves undone for it, beside what it leaves undone on every connection. */
export const leftUndone = ['enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin'] as const;

/** Until the end of the transaction. */
async function walkIndexes(em: EntityManager): Promise<void> {
  await sql`select set_config(name, 'off', true) from unnest(${leftUndone}::text[]) as s (name)`.execute(
    tablesOf(em),
  );
}
