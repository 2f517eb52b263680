import { codeOf } from '../platform/process/error-code.ts';
import { errorMessage } from '../platform/process/error-message.ts';
import { exitCodes } from '../platform/process/exit-codes.ts';
import { ConfigurationError } from '../platform/config/read-configuration.ts';
import {
  classifyDatabaseError,
  isForbidden,
  isMissingTable,
  isRefusedConnection,
  UnopenedConnection,
} from '../platform/database/failures.ts';
import { StewardError } from '../packages/client/source/steward.ts';
import { StartFailure } from '../local/start-failure.ts';

/** An option has an invalid value. */
export class BadOption extends Error {
  override readonly name = 'BadOption';
}

/** The output was not written, because its reader has left or the disk is full. The command has taken effect. */
export class OutputFailure extends Error {
  override readonly name = 'OutputFailure';

  constructor(cause: Error) {
    super(`The output was not written: ${cause.message}. What the command changes, it has changed.`, {
      cause,
    });
  }
}

/**
 * Whether PostgreSQL is absent, or refuses the connection or its work. Failed calls and outputs have other causes, and a
 * connection that could not be opened for another reason, such as a certificate, fails with its own message.
 */
const isDatabaseUnavailable = (error: unknown): boolean =>
  !(error instanceof StewardError || error instanceof OutputFailure || error instanceof UnopenedConnection) &&
  classifyDatabaseError(error) === 'unavailable';

/** Beginnings of SQLSTATEs: of a standby, of lacking resources such as connections or space, and of a damaged system. */
const unableServer = ['25006', '53', '58'];
const isUnable = (code: string): boolean => unableServer.some((start) => code.startsWith(start));

/** Whether PostgreSQL does not respond. */
export const isDatabaseAway = (error: unknown): boolean =>
  isDatabaseUnavailable(error) && !isRefusedConnection(error) && !isUnable(codeOf(error));

/** The error message and exit code for an operator. */
export function failureOf(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof ConfigurationError || error instanceof BadOption) {
    return { text: error.message, exitCode: exitCodes.misused };
  }
  if (error instanceof StewardError) return refusalOf(error);
  if (error instanceof StartFailure || error instanceof OutputFailure)
    return { text: error.message, exitCode: exitCodes.failed };
  return { text: textOfDatabase(error) ?? inOneLine(errorMessage(error)), exitCode: exitCodes.failed };
}

/** The message for an error of the database; undefined for others. */
function textOfDatabase(error: unknown): string | undefined {
  const code = codeOf(error);
  if (isDatabaseUnavailable(error)) {
    return isUnable(code)
      ? `PostgreSQL cannot do this work now (SQLSTATE ${code}). Remove the cause that its log names, and run the command again.`
      : 'PostgreSQL does not respond, or refuses the connection. Check DATABASE_URL, DATABASE_PASSWORD and, for migrate, DATABASE_DIRECT_URL.';
  }
  if (isMissingTable(error)) return 'The database is not migrated. Run: npm run cli -- migrate';
  const lockNotAvailable = '55P03';
  if (code === lockNotAvailable)
    return 'Another session holds a lock that the migration needs. End that session (pg_stat_activity lists it) and run migrate again: finished migrations are kept.';
  if (isForbidden(error))
    return 'The role of DATABASE_URL lacks a privilege. Run migrate as the owner of the tables, with DATABASE_RUNTIME_ROLE set to this role.';
  return undefined;
}

const inOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** A response of the API that is not a result; with all issues of an invalid request, and the id of a failed one. */
function refusalOf(error: StewardError): ReturnType<typeof failureOf> {
  const { status, message, details, httpStatus, requestId } = error;
  const issues = (details['issues'] ?? []) as readonly { readonly message: string }[];
  const text = issues.length > 0 ? issues.map((issue) => issue.message).join('\n') : message;
  return {
    text: `${status}: ${text}${httpStatus >= 500 && requestId !== '' ? ` Request id: ${requestId}.` : ''}`,
    exitCode: status === 'INVALID_ARGUMENT' ? exitCodes.misused : exitCodes.failed,
  };
}
