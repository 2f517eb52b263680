import { classifyDatabaseError, type DatabaseFailure } from './failures.ts';

const maxAttempts = 5;

/**
 * Runs `act` and retries it without delay after a conflict or a failure in `also`; max 5 attempts. `act` is a whole
 * transaction or a single statement, of which a failed attempt has written nothing, or an activity, which may be repeated.
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
