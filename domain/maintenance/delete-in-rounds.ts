import type { EntityManager, Orm } from '../../platform/database/orm.ts';
import { throwFailures } from '../../platform/process/throw-failures.ts';

/** Deletes one batch of expired rows. Returns whether more rows may be expired. */
export type DeleteExpired = (em: EntityManager) => Promise<boolean>;

/**
 * Runs each deletion once, then those with more rows in turn until none has more or `untilMs` (by `performance.now()`)
 * passes. A deletion that is behind gets all of the remaining time. Yields after each batch. Throws the failures at the
 * end, so that the other deletions run.
 */
export async function* deleteInRounds(
  orm: Orm,
  deletions: readonly DeleteExpired[],
  untilMs: number,
): AsyncGenerator<void, void> {
  let behind = deletions;
  const failures: unknown[] = [];
  do {
    const next: DeleteExpired[] = [];
    for (const deletion of behind) {
      try {
        if (await deletion(orm.em.fork())) next.push(deletion);
      } catch (error) {
        failures.push(error);
      }
      yield;
    }
    behind = next;
  } while (behind.length > 0 && performance.now() < untilMs);
  throwFailures(failures);
}
