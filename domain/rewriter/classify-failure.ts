import type { Exchange } from '../../platform/outbound/bounded-fetch.ts';
import type { AiProvider } from '../configuration/kinds/api-key.ts';
import { callTimedOut, requestFailed, type FailureCode, type RewriterFailure } from './rewriter-response.ts';

/** A call without a valid response. */
export interface FailedCall {
  readonly failure: RewriterFailure;
  /** Min delay before a retry; undefined when the failure is final. */
  readonly retryAfterMs?: number;
}

/** Classifies a failure as final, or as retryable: 408, 429, 5xx, timeouts and connection failures. */
export function classifyFailure(provider: AiProvider, seen: Exchange, timedOut: boolean): FailedCall {
  const { status, broken } = seen;
  if (timedOut) return { failure: callTimedOut(provider), retryAfterMs: 0 };
  const failed = (code: FailureCode, reason: string | undefined): RewriterFailure =>
    requestFailed(provider, code, { status, reason });
  if (broken === 'connection-failed')
    return { failure: failed('unavailable', 'connection_failed'), retryAfterMs: 0 };
  if (broken === 'response-too-large') return { failure: failed('unavailable', 'answer_too_large') };
  if (status === undefined || status < 300) return { failure: failed('unavailable', 'invalid_answer') };
  if (status < 400) return { failure: failed('unavailable', 'redirect') };
  const reason = errorCode(seen.body ?? '');
  const retryAfterMs = retryAfter(seen.headers?.get('retry-after') ?? null);
  if (status === 429) return { failure: failed('rate-limited', reason), retryAfterMs };
  if (status === 408) return { failure: failed('timeout', reason), retryAfterMs };
  if (status >= 500) return { failure: failed('unavailable', reason), retryAfterMs };
  return { failure: failed('refused', reason) };
}

/** Form of providers' error codes; other texts may contain customer text, which is never passed on. */
const codeForm = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Max bytes of an error body that is parsed. */
const maxErrorBytes = 65_536;

/** Reads OpenAI's `error.code` or `error.type`, Anthropic's `error.type`, or Gemini's `error.status`. */
function errorCode(body: string): string | undefined {
  if (body.length > maxErrorBytes) return undefined;
  let error: unknown;
  try {
    ({ error } = JSON.parse(body) as { error?: unknown });
  } catch {
    return undefined;
  }
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, status, type } = error as Record<string, unknown>;
  return [code, status, type].find((name): name is string => typeof name === 'string' && codeForm.test(name));
}

/**
 * Milliseconds of a `Retry-After` in seconds or as a date (RFC 9110, 10.2.3); 0 for other forms. `Headers` joins repeated
 * values by commas. The first one counts, and a date contains a comma itself.
 */
function retryAfter(header: string | null): number {
  const [first = '', ...others] = header?.split(',') ?? [];
  if (/^\d{1,9}$/.test(first.trim())) return Number(first) * 1_000;
  const until = Date.parse([first, ...others.slice(0, 1)].join(','));
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now());
}
