import { ConfigurationError } from '../platform/config/read-configuration.ts';
import { classifyDatabaseError } from '../platform/database/failures.ts';
import { StewardError } from '../packages/client/source/steward.ts';
import { StartFailure } from '../local/start-failure.ts';

export const exitCodes = { done: 0, failed: 1, misused: 2 } as const;

/** An option has an invalid value. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
}

/** The output was not written, because its reader has left or the disk is full. The command has taken effect. */
export class OutputFailure extends Error {
  override readonly name = 'OutputFailure';

  constructor(cause: Error) {
    super(`The output was not written: ${cause.message}.`, { cause });
  }
}

/** Whether the database caused the error. A failed call of the API or a failed output may have such a cause, too. */
export const isDatabaseAway = (error: unknown): boolean =>
  !(error instanceof StewardError || error instanceof OutputFailure) &&
  classifyDatabaseError(error) === 'unavailable';

/** The error message and exit code for an operator. */
export function failureOf(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof ConfigurationError || error instanceof BadOption) {
    return { text: error.message, exitCode: exitCodes.misused };
  }
  if (error instanceof StewardError) return refusalOf(error);
  if (error instanceof StartFailure || error instanceof OutputFailure)
    return { text: error.message, exitCode: exitCodes.failed };
  if (isDatabaseAway(error)) {
    return {
      text: 'The database does not respond, or rejects the credentials of DATABASE_URL.',
      exitCode: exitCodes.failed,
    };
  }
  const undefinedTable = '42P01';
  if ((error as { code?: unknown } | null)?.code === undefinedTable) {
    return { text: 'The database is not migrated. Run: npm run cli -- migrate', exitCode: exitCodes.failed };
  }
  const lockNotAvailable = '55P03';
  if ((error as { code?: unknown } | null)?.code === lockNotAvailable) {
    return {
      text: 'Another session holds a lock that the migration needs. End that session (pg_stat_activity lists it) and run migrate again: finished migrations are kept.',
      exitCode: exitCodes.failed,
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { text: inOneLine(message), exitCode: exitCodes.failed };
}

const inOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** A response of the API that is not a result; with all issues of an invalid request. */
function refusalOf({ status, message, details }: StewardError): ReturnType<typeof failureOf> {
  const issues = (details['issues'] ?? []) as readonly { readonly message: string }[];
  const text = issues.length > 0 ? issues.map((issue) => issue.message).join('\n') : message;
  return {
    text: `${status}: ${text}`,
    exitCode: status === 'INVALID_ARGUMENT' ? exitCodes.misused : exitCodes.failed,
  };
}
