import { classifyDatabaseError, type DatabaseFailure } from './failures.ts';

/** Attempts of what other transactions are in the way of. */
const maxAttempts = 5;

/**
 * Repeats `act`, a whole transaction or a statement of its own, at once after a serialization failure, a deadlock or a
 * statement that a migration has outdated, and after the failures in `also`; five attempts at most. Nothing of a failed
 * attempt was written.
 */
export async function retryConflicts<Result>(
  act: () => Promise<Result>,
  also: readonly DatabaseFailure[] = [],
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await act();
    } catch (error) {
      const failure = classifyDatabaseError(error);
      if (attempt === maxAttempts || (failure !== 'conflict' && !also.includes(failure))) throw error;
    }
  }
}
