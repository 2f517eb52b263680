import { ApplicationFailure, CancelledFailure, TemporalFailure } from '@temporalio/common';
import { CompleteAsyncError } from '@temporalio/activity';
import { DomainError } from '../domain/errors.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import { retryConflicts } from '../platform/database/retry-conflicts.ts';
import type { Logger } from '../platform/logging/logger.ts';

type Activity<Input, Result> = (input: Input) => Promise<Result>;

/**
 * Gives every failure of an activity the form in which a workflow meets it: a refusal is final and typed, everything
 * else is tried again, a conflict in the database at once. No text of the database or of a bug gets into a history: both may carry what is in the rows.
 */
export function translating<Input, Result>(
  logger: Logger,
  activity: Activity<Input, Result>,
): Activity<Input, Result> {
  return async (input) => {
    try {
      return await retryConflicts(async () => activity(input));
    } catch (error) {
      throw translated(error, logger);
    }
  };
}

/** Exported for its test. */
export function translated(error: unknown, logger: Logger): unknown {
  if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) return error;
  if (isAbort(error)) return new CancelledFailure('The activity was told to stop.');
  if (error instanceof DomainError) {
    return ApplicationFailure.create({ message: error.message, type: error.status, nonRetryable: true });
  }
  const failure = classifyDatabaseError(error);
  if (failure === 'bug') {
    logger.error({ err: error }, 'unexpected error');
    return ApplicationFailure.create({ message: 'Internal error.', type: 'INTERNAL' });
  }
  const code = sqlState(error);
  return ApplicationFailure.create({
    message: `The database says ${failure}${code === undefined ? '' : ` (${code})`}.`,
    type: 'DATABASE',
  });
}

/** The five characters of an SQLSTATE, or the system's name of a failed connection: nothing of a row. */
function sqlState(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const { code } = at as { code?: unknown };
    if (typeof code === 'string' && /^[A-Z0-9_]{1,20}$/.test(code)) return code;
  }
  return undefined;
}

function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
}
