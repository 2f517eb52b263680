import { classifyDatabaseError, isMissingSchema } from '../database/failures.ts';
import type { LimitedLogger } from './limit-repeats.ts';

/**
 * Logs a failure of a repeated act: at level debug while the database is away or its migrations are pending, which
 * readiness reports, and anything else as an unexpected error. Errors of acts with different events are repeated apart.
 */
export const logOutage =
  (repeating: LimitedLogger, event: string) =>
  (error: unknown): void =>
    classifyDatabaseError(error) === 'unexpected' && !isMissingSchema(error)
      ? repeating.error({ err: error }, 'unexpected error', `unexpected error ${event}`)
      : repeating.debug({ err: error }, event);
