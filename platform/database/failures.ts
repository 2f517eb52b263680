/** What PostgreSQL or the way to it says, reduced to what a caller can act upon. */
export type DatabaseFailure = 'conflict' | 'unavailable' | 'timeout' | 'gone' | 'duplicate' | 'bug';

const unavailableCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENOENT',
]);

const lostConnection =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Query read timeout/;

function ownText(error: unknown, member: 'code' | 'message'): string {
  if (typeof error !== 'object' || error === null) return '';
  const value = (error as Record<string, unknown>)[member];
  return typeof value === 'string' ? value : '';
}

/** Classes: serialization failures and deadlocks are worth another try; everything unknown is a bug of ours. */
export function classifyDatabaseError(error: unknown): DatabaseFailure {
  const code = ownText(error, 'code');
  if (code === '40001' || code === '40P01') return 'conflict';
  if (code === '57014' || code === '55P03' || code === '25P03') return 'timeout';
  if (code === '23503') return 'gone';
  if (code === '23505') return 'duplicate';
  if (unavailableCodes.has(code) || /^(08|53|57P|58)/.test(code)) return 'unavailable';
  if (lostConnection.test(ownText(error, 'message'))) return 'unavailable';
  const cause =
    typeof error === 'object' && error !== null ? (error as { cause?: unknown }).cause : undefined;
  return cause === undefined ? 'bug' : classifyDatabaseError(cause);
}
