import { classifyDatabaseError } from '../database/failures.ts';
import type { LimitedLogger } from './limit-repeats.ts';

/** Logs a failure of a repeated act: an outage of the database at level debug, anything else as an unexpected error. */
export const logOutage =
  (repeating: LimitedLogger, event: string) =>
  (error: unknown): void =>
    classifyDatabaseError(error) === 'unexpected'
      ? repeating.error({ err: error }, 'unexpected error')
      : repeating.debug({ err: error }, event);
