import { classifyDatabaseError } from '../../platform/database/failures.ts';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import type { PersonCounts, PersonCursor, PersonPlace, PersonScope, PersonStep } from './places/place.ts';
import { personPlaces } from './places/places.ts';
import { book, lockDeletion, scopeOf, type WorkedDeletion } from './work-deletion.ts';

/** What a step has done. */
export interface Progress {
  readonly place: string;
  /** Of this step. */
  readonly records: number;
  /** Of the whole deletion so far. */
  readonly counts: PersonCounts;
}

/** Tries of a step that another transaction was in the way of. */
const mostTries = 5;

type Act = (
  em: EntityManager,
  place: PersonPlace,
  scope: PersonScope,
  after: PersonCursor | null,
) => Promise<PersonStep>;

/** Removes what is left of the people at every place, a short transaction a step. Ends with false for a deletion that has ended. */
export const removePersonalData = (orm: Orm, deletion: WorkedDeletion) =>
  workAtPlaces(orm, deletion, async (em, place, scope, after) => place.remove(em, scope, after));

/** Counts the same, for a dry run. */
export const countPersonalData = (orm: Orm, deletion: WorkedDeletion) =>
  workAtPlaces(orm, deletion, async (em, place, scope, after) => place.count(em, scope, after));

/**
 * Goes from place to place. What a step did, and where the next one begins, is written down in its transaction: the walk
 * may stop and start anywhere, and counts everything once.
 */
async function* workAtPlaces(
  orm: Orm,
  deletion: WorkedDeletion,
  act: Act,
): AsyncGenerator<Progress, boolean> {
  const scope = await scopeOf(orm.em.fork(), deletion);
  for (const place of personPlaces) {
    for (let done = false; !done;) {
      const worked: Worked = await withoutConflict(async () =>
        inTransaction(orm, async (em) => step(em, deletion, scope, place, act)),
      );
      if (worked === 'ended') return false;
      if (worked === 'verifying') return true;
      done = worked.done;
      yield worked;
    }
  }
  return true;
}

/** `verifying`: everything was removed before. */
type Worked = 'ended' | 'verifying' | (Progress & { readonly done: boolean });

async function step(
  em: EntityManager,
  deletion: WorkedDeletion,
  scope: PersonScope,
  place: PersonPlace,
  act: Act,
): Promise<Worked> {
  const account = await lockDeletion(em, deletion, deletion.dryRun ? [null] : ['deleting', 'verifying']);
  if (account === undefined) return 'ended';
  if (account.phase === 'verifying') return 'verifying';
  const { name } = place;
  if (account.done_places.includes(name)) {
    return { place: name, records: 0, counts: account.counts, done: true };
  }
  const from = account.stand?.place === name ? account.stand.after : null;
  const { counts, last } = await act(em, place, scope, from);
  const booked = await book(em, deletion, account, { counts, stand: { place: name, after: last } });
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return { place: name, records, counts: booked, done: last === null };
}

/** Ordinary writes and other deletions lock the same rows, now and then in another order: PostgreSQL then gives one up. */
async function withoutConflict<Result>(act: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      if (attempt === mostTries || classifyDatabaseError(error) !== 'conflict') throw error;
    }
  }
}
