import { retryAfterMsOf } from '../../platform/network/retry-after.ts';
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
  const retryAfterMs = retryAfterMsOf(seen.headers?.get('retry-after'), Date.now()) ?? 0;
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
