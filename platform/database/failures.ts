import { codeOf } from '../process/error-code.ts';

/** Classes of database errors that callers handle differently. */
export type DatabaseFailure = 'conflict' | 'unavailable' | 'timeout' | 'gone' | 'duplicate' | 'unexpected';

const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTCONN',
  'ENETDOWN',
  'ENETUNREACH',
  'ENETRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  // The process or the machine has no file descriptor left.
  'EMFILE',
  'ENFILE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENOENT',
  'EPROTO',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Beginning of the codes of OpenSSL, whose errors end a TLS connection. */
const brokenTls = 'ERR_SSL_';

/** SQLSTATE of a write on a standby: the connection reached, or still uses, a server that is not the primary one. */
const readOnlyServer = '25006';

/** Messages of connection errors of pg and its pool, which have no code. */
const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout|Received unexpected \w+ message from backend|after calling end on the pool/;

/**
 * SQLSTATEs of an ended session, whose transaction is rolled back. The session was idle (25P03) or running (25P04) too
 * long, or had no transaction (25P01). Or a shutdown or an administrator ended it (57P01 to 57P05).
 */
const endedSession = /^(57P\d\d|25P01|25P03|25P04)$/;

/**
 * SQLSTATEs of a refused connection: an unknown role, a wrong password, no entry in pg_hba.conf (28000, 28P01), or an
 * unknown database (3D000). No statement of Steward raises them.
 */
const refusedConnection = new Set(['28000', '28P01', '3D000']);

function messageOf(error: unknown): string {
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' ? message : '';
}

/** The session left its transaction before the commit: nothing was written. Classified as `unavailable`. */
export class LostTransaction extends Error {
  override readonly name = 'LostTransaction';
  /** SQLSTATE no_active_sql_transaction. */
  readonly code = '25P01';

  constructor() {
    super('The database session left its transaction before the commit.');
  }
}

/** The commit rolled back because a statement had failed and its error was caught. */
export class SwallowedFailure extends Error {
  override readonly name = 'SwallowedFailure';

  constructor() {
    super('The commit rolled back: an earlier statement of the transaction failed.');
  }
}

/**
 * A connection could not be opened for a reason that is not `unavailable` by itself, such as an expired certificate or a
 * missing password. Nothing was sent, so it is classified as `unavailable`.
 */
export class UnopenedConnection extends Error {
  override readonly name = 'UnopenedConnection';
  /** SQLSTATE sqlclient_unable_to_establish_sqlconnection. */
  readonly code = '08001';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

/** Returns the error of a connection that could not be opened, classified as `unavailable`. */
export const openingFailure = (error: Error): Error =>
  classifyDatabaseError(error) === 'unexpected' ? new UnopenedConnection(error) : error;

/**
 * Whether a migration has changed the result columns of a prepared statement. The SQLSTATE covers other failures too, and
 * the message is in the language of the server.
 */
export const isOutdatedStatement = (error: unknown): boolean =>
  codeOf(error) === '0A000' && (error as { readonly routine?: unknown }).routine === 'RevalidateCachedQuery';

/** PgBouncer closes the connection with these messages; their SQLSTATE covers other failures too. */
const unprepared = new Set(['prepared statement did not exist', 'prepared statement name is already in use']);

/** Whether a connection lacks a prepared statement, or PgBouncer still holds its name after a failed prepare. */
export function isUnpreparedStatement(error: unknown): boolean {
  const code = codeOf(error);
  return code === '26000' || (code === '08P01' && unprepared.has(messageOf(error)));
}

/** Whether the role lacks the permission for a statement (SQLSTATE 42501). */
export const isForbidden = (error: unknown): boolean => codeOf(error) === '42501';

/** Whether a table is missing (SQLSTATE 42P01). */
export const isMissingTable = (error: unknown): boolean => codeOf(error) === '42P01';

/** Whether a table or a column (42703) is missing, for example while migrations are pending. */
export const isMissingSchema = (error: unknown): boolean =>
  isMissingTable(error) || codeOf(error) === '42703';

/** Whether PostgreSQL refused a connection, for example because of its password. Classified as `unavailable`. */
export const isRefusedConnection = (error: unknown): boolean =>
  refusedConnection.has(codeOf(error)) ||
  (error instanceof Error && error.cause !== undefined && isRefusedConnection(error.cause));

/** `conflict` (serialization failures, deadlocks, statements to prepare again) can be retried; unknown errors are `unexpected`. */
export function classifyDatabaseError(error: unknown): DatabaseFailure {
  const code = codeOf(error);
  if (code === '40001' || code === '40P01') return 'conflict';
  if (isOutdatedStatement(error) || isUnpreparedStatement(error)) return 'conflict';
  if (code === '57014' || code === '55P03')
    return causeOf(error) === 'unavailable' ? 'unavailable' : 'timeout';
  if (code === '23503') return 'gone';
  if (code === '23505') return 'duplicate';
  if (code.startsWith(brokenTls)) return 'unavailable';
  if (unavailableCodes.has(code) || endedSession.test(code) || /^(08|53|58)/.test(code)) return 'unavailable';
  if (code === readOnlyServer || refusedConnection.has(code)) return 'unavailable';
  if (lostConnection.test(messageOf(error))) return 'unavailable';
  return causeOf(error) ?? 'unexpected';
}

function causeOf(error: unknown): DatabaseFailure | undefined {
  const cause =
    typeof error === 'object' && error !== null ? (error as { cause?: unknown }).cause : undefined;
  return cause === undefined ? undefined : classifyDatabaseError(cause);
}
