/** What PostgreSQL or the way to it says, reduced to what a caller can act upon. */
export type DatabaseFailure = 'conflict' | 'unavailable' | 'timeout' | 'gone' | 'duplicate' | 'bug';

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
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENOENT',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** Errors of pg and its pool that carry no code. */
const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout|Received unexpected \w+ message from backend|after calling end on the pool/;

/**
 * SQLSTATEs by which PostgreSQL ends a session: its transaction was idle (25P03) or lasted (25P04) for too long, the server
 * shuts down or an administrator ended it (57P01 to 57P05). 25P01: the transaction is no longer there. All of them roll back.
 */
const endedSession = /^(57P\d\d|25P01|25P03|25P04)$/;

function ownText(error: unknown, member: 'code' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value = (error as Record<string, unknown>)[member];
  return typeof value === 'string' ? value : '';
}

/** The transaction ended before its commit, without a word: nothing of it was written. Classified as `unavailable`. */
export class LostTransaction extends Error {
  override readonly name = 'LostTransaction';
  /** SQLSTATE no_active_sql_transaction. */
  readonly code = '25P01';

  constructor() {
    super('The database session is no longer in its transaction.');
  }
}

/** A commit that committed nothing: a statement of the transaction had failed, and its error was caught. */
export class SwallowedFailure extends Error {
  override readonly name = 'SwallowedFailure';

  constructor() {
    super('A statement had failed: the transaction was rolled back.');
  }
}

/** A prepared statement that a connection can no longer execute: its columns have changed since, or it is not there. */
export function isStaleStatement(error: unknown): boolean {
  const code = ownText(error, 'code');
  return (
    code === '26000' || (code === '0A000' && ownText(error, 'message').startsWith('cached plan must not'))
  );
}

/** Classes: serialization failures and deadlocks are worth another try; everything unknown is a bug of ours. */
export function classifyDatabaseError(error: unknown): DatabaseFailure {
  const code = ownText(error, 'code');
  if (code === '40001' || code === '40P01' || isStaleStatement(error)) return 'conflict';
  if (code === '57014' || code === '55P03')
    return causeOf(error) === 'unavailable' ? 'unavailable' : 'timeout';
  if (code === '23503') return 'gone';
  if (code === '23505') return 'duplicate';
  if (unavailableCodes.has(code) || endedSession.test(code) || /^(08|53|58)/.test(code)) return 'unavailable';
  if (lostConnection.test(ownText(error, 'message'))) return 'unavailable';
  return causeOf(error) ?? 'bug';
}

function causeOf(error: unknown): DatabaseFailure | undefined {
  const cause =
    typeof error === 'object' && error !== null ? (error as { cause?: unknown }).cause : undefined;
  return cause === undefined ? undefined : classifyDatabaseError(cause);
}
