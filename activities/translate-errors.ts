import {
  ApplicationFailure,
  ApplicationFailureCategory,
  CancelledFailure,
  TemporalFailure,
} from '@temporalio/common';
import { CompleteAsyncError } from '@temporalio/activity';
import { codeOf } from '../platform/process/error-code.ts';
import { JournalUnavailable } from '../domain/deletion/journal/deletion-journal.ts';
import { DomainError } from '../domain/errors.ts';
import { ProviderBusy } from '../domain/permissions/provider/bounded-provider.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import { retryConflicts } from '../platform/database/retry-conflicts.ts';
import type { Logger } from '../platform/logging/logger.ts';
import { grpcCodeOf, grpcCodes } from '../platform/temporal/grpc.ts';

type Activity<Input, Result> = (input: Input) => Promise<Result>;

/** Thrown for a job without a row. Retried unless `isFinal`. */
export class MissingJob extends Error {
  readonly isFinal: boolean;

  constructor(isFinal: boolean) {
    super('Missing row for job.');
    this.isFinal = isFinal;
  }
}

/** Thrown for a call to a provider that is repeated after `delayMs`. Its message has no content. */
export class RepeatedCall extends Error {
  readonly delayMs: number;

  constructor(message: string, delayMs: number) {
    super(message);
    this.delayMs = delayMs;
  }
}

interface Retries {
  /** Whether every domain error is retried: a write fence of a user ends, for example. */
  readonly retriesDomainErrors?: boolean;
}

/**
 * Translates the errors of an activity into failures for its workflow. A domain error is typed, and retried only if it
 * is transient or the activity retries all of them; other errors are retried, database conflicts at once. Calls that wait
 * for a provider are neither logged nor counted as failures. Texts of the database and of unexpected errors never enter a
 * history: they may contain values of rows.
 */
export function withTranslatedErrors<Input, Result>(
  logger: Logger,
  activity: Activity<Input, Result>,
  retries: Retries = {},
): Activity<Input, Result> {
  return async (input) => {
    try {
      return await retryConflicts(async () => activity(input));
    } catch (error) {
      throw translated(error, logger, retries);
    }
  };
}

/** Statuses of calls that succeed later. */
const transient: ReadonlySet<string> = new Set(['ABORTED', 'UNAVAILABLE']);

/** Exported for its test. */
export function translated(error: unknown, logger: Logger, retries: Retries = {}): unknown {
  if (error instanceof TemporalFailure || error instanceof CompleteAsyncError) return error;
  if (isAbort(error)) return new CancelledFailure('The activity was canceled.');
  if (error instanceof DomainError) {
    const nonRetryable = retries.retriesDomainErrors !== true && !transient.has(error.status);
    return ApplicationFailure.create({ message: error.message, type: error.status, nonRetryable });
  }
  if (error instanceof MissingJob) {
    const { message, isFinal: nonRetryable } = error;
    return ApplicationFailure.create({ message, type: 'NOT_FOUND', nonRetryable });
  }
  const category = ApplicationFailureCategory.BENIGN;
  if (error instanceof ProviderBusy)
    return ApplicationFailure.create({ message: error.message, type: 'PROVIDER_BUSY', category });
  if (error instanceof RepeatedCall) {
    const { message, delayMs: nextRetryDelay } = error;
    return ApplicationFailure.create({ message, type: 'PROVIDER', nextRetryDelay, category });
  }
  if (error instanceof JournalUnavailable) {
    logger.error({ reason: error.reason }, 'deletion journal unavailable');
    return ApplicationFailure.create({ message: error.message, type: 'JOURNAL' });
  }
  if (isTemporalOutage(error)) {
    return ApplicationFailure.create({ message: 'Temporal does not respond.', type: 'TEMPORAL' });
  }
  const failure = classifyDatabaseError(error);
  // The history gets the first of several failures; each unexpected one is logged.
  if (failure === 'unexpected' && error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((one: unknown) => translated(one, logger, retries))[0];
  if (failure === 'unexpected') {
    logger.error({ err: error }, 'unexpected error');
    return ApplicationFailure.create({ message: 'Internal error.', type: 'INTERNAL' });
  }
  const code = errorCode(error);
  return ApplicationFailure.create({
    message: `Database failure: ${failure}${code === undefined ? '' : ` (${code})`}.`,
    type: 'DATABASE',
  });
}

/** Codes of an unavailable or overloaded server. */
const outageCodes: ReadonlySet<number | undefined> = new Set([
  grpcCodes.deadlineExceeded,
  grpcCodes.resourceExhausted,
  grpcCodes.unavailable,
]);

/** Whether Temporal did not respond to a call of the activity, such as the start of a workflow. */
const isTemporalOutage = (error: unknown): boolean => outageCodes.has(grpcCodeOf(error));

/** The SQLSTATE, or the system error code of a failed connection. Neither contains values of rows. */
function errorCode(error: unknown): string | undefined {
  for (let at = error; typeof at === 'object' && at !== null; at = (at as { cause?: unknown }).cause) {
    const code = codeOf(at);
    if (/^[A-Z0-9_]{1,20}$/.test(code)) return code;
  }
  return undefined;
}

function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as { name?: unknown }).name === 'AbortError';
}
