import { setTimeout as pause } from 'node:timers/promises';
import type { GuardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { guardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { readResponses, type ProviderResponse } from './provider-responses.ts';
import type { AccessCheck } from './access-check.ts';

/** How long and how often a provider is asked; times in milliseconds. */
export interface ProviderLimits {
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  /** Of one try. */
  readonly attemptTimeoutMs: number;
  /** Of everything that one call asks. */
  readonly totalTimeoutMs: number;
  readonly maxResponseBytes: number;
}

export const providerLimits: ProviderLimits = {
  maxAttempts: 3,
  retryDelayMs: 2_000,
  attemptTimeoutMs: 18_000,
  totalTimeoutMs: 60_000,
  maxResponseBytes: 1_048_576,
};

export interface ProviderAddress {
  readonly url: string;
  /** Sent as `Authorization: Bearer`; empty sends none. */
  readonly authToken: string;
  readonly allowedNetworks: readonly string[];
}

/** The provider did not answer as it should; the text holds nothing that it or the customer wrote. */
export class ProviderFailure extends Error {
  /** Whether the same question may be answered a moment later. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean) {
    super(message);
    this.name = 'ProviderFailure';
    this.passing = passing;
  }
}

/** Asks until there is an answer or the tries or the time are used up; throws `ProviderFailure`. */
export async function callProvider(
  address: ProviderAddress,
  questions: readonly AccessCheck[],
  limits: ProviderLimits,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ProviderResponse>> {
  const request = requestOf(address, questions, limits, signal);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryOnce(request);
    } catch (error) {
      const failure = failureOf(error);
      if (!failure.passing || attempt === limits.maxAttempts || signal.aborted) throw failure;
    }
    await pause(limits.retryDelayMs, undefined, { signal }).catch(() => {
      throw new ProviderFailure('There was no answer in time.', false);
    });
  }
}

function requestOf(
  { url, authToken, allowedNetworks }: ProviderAddress,
  questions: readonly AccessCheck[],
  { attemptTimeoutMs, maxResponseBytes }: ProviderLimits,
  signal: AbortSignal,
): GuardedRequest {
  return {
    url,
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'Steward',
      ...(authToken !== '' && { authorization: `Bearer ${authToken}` }),
    },
    body: JSON.stringify({ data: { requests: questions } }),
    timeout: attemptTimeoutMs,
    maxResponseBytes,
    allowedNetworks,
    signal,
  };
}

const retriedStatus = (status: number): boolean => status >= 500 || status === 408 || status === 429;

async function tryOnce(request: GuardedRequest): Promise<ReadonlyMap<string, ProviderResponse>> {
  const { status, body, cut } = await guardedRequest(request);
  if (status < 200 || status > 299) {
    throw new ProviderFailure(`It answered with the status ${String(status)}.`, retriedStatus(status));
  }
  if (cut) throw new ProviderFailure('Its answer was too large.', false);
  const responses = readResponses(body.toString('utf8'));
  if (responses === undefined) throw new ProviderFailure('Its answer was not of the agreed form.', false);
  return responses;
}

const passingReasons: ReadonlySet<string> = new Set(['connection-failed', 'timed-out', 'not-resolved']);

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof OutboundError) {
    return new ProviderFailure(error.message, passingReasons.has(error.reason));
  }
  throw error;
}
