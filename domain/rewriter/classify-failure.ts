import type { AiProvider } from '../configuration/kinds/api-key.ts';
import type { Exchange } from '../../platform/outbound/bounded-fetch.ts';
import { callTimedOut, requestFailed, type FailureCode, type RewriterFailure } from './rewriter-response.ts';

/** What to make of a call that brought no answer of the agreed form. */
export interface FailedCall {
  readonly failure: RewriterFailure;
  /** Milliseconds to wait at least before the next call; undefined when asking again is no use. */
  readonly again?: number;
}

/** Tells a refusal, which is final, from what may go well a moment later: 429, 5xx, time-outs and broken connections. */
export function classifyFailure(provider: AiProvider, seen: Exchange, timedOut: boolean): FailedCall {
  const { status, broken } = seen;
  if (timedOut) return { failure: callTimedOut(provider), again: 0 };
  const failed = (code: FailureCode, reason: string | undefined): RewriterFailure =>
    requestFailed(provider, code, { status, reason });
  if (broken === 'connection-failed')
    return { failure: failed('unavailable', 'connection_failed'), again: 0 };
  if (broken === 'answer-too-large') return { failure: failed('unavailable', 'answer_too_large') };
  if (status === undefined || status < 300) return { failure: failed('unavailable', 'invalid_answer') };
  if (status < 400) return { failure: failed('unavailable', 'redirect') };
  const reason = errorCode(seen.body ?? '');
  const again = retryAfter(seen.headers?.get('retry-after') ?? null);
  if (status === 429) return { failure: failed('rate-limited', reason), again };
  if (status === 408) return { failure: failed('timeout', reason), again };
  if (status >= 500) return { failure: failed('unavailable', reason), again };
  return { failure: failed('refused', reason) };
}

/** Names that providers give their errors; what has another form may be a text, and no text is passed on. */
const codeForm = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;

/** Bytes of an answer in which an error is looked for. */
const longestError = 65_536;

/** OpenAI says `error.code` or else `error.type`, Anthropic `error.type`, Gemini `error.status` beside a number. */
function errorCode(body: string): string | undefined {
  if (body.length > longestError) return undefined;
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

/** Milliseconds of a `Retry-After`, which is a number of seconds or a date (RFC 9110, 10.2.3); 0 when it is neither. */
function retryAfter(header: string | null): number {
  if (header === null) return 0;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const until = Date.parse(header);
  return Number.isNaN(until) ? 0 : Math.max(0, until - Date.now());
}
