import { setTimeout as pause } from 'node:timers/promises';
import type { GuardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { guardedRequest } from '../../../platform/outbound/guarded-request.ts';
import { OutboundError } from '../../../platform/outbound/outbound-error.ts';
import { readResponses, type ProviderResponse } from './provider-responses.ts';
import type { AccessCheck } from './access-check.ts';
import type { ResponseShare } from './response-room.ts';

/** Limits of provider calls; times in milliseconds. */
export interface ProviderLimits {
  readonly maxAttempts: number;
  readonly retryDelayMs: number;
  readonly attemptTimeoutMs: number;
  /** Milliseconds for all attempts of all provider requests of one API call. */
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
  /** Surrogate key of the key that configured the provider. */
  readonly tenantId: string;
  /** Sent as `Authorization: Bearer`; empty sends no header. */
  readonly authToken: string;
  readonly allowedNetworks: readonly string[];
  /** Whether calls to other servers are paused: every call fails at once. */
  readonly paused?: boolean;
  /** Opens the room for one response. */
  readonly openRoom: () => ResponseShare;
}

/** A failed provider call; the message contains no text of the provider or the customer. */
export class ProviderFailure extends Error {
  /** Whether a retry may succeed. */
  readonly retryable: boolean;

  constructor(message: string, retryable: boolean) {
    super(message);
    this.name = 'ProviderFailure';
    this.retryable = retryable;
  }
}

/** Calls the provider until it responds or the attempts or the time run out; then throws `ProviderFailure`. */
export async function callProvider(
  address: ProviderAddress,
  checks: readonly AccessCheck[],
  limits: ProviderLimits,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ProviderResponse>> {
  const request = requestOf(address, checks, limits, signal);
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptCall(request, address.openRoom());
    } catch (error) {
      const failure = failureOf(error);
      if (!failure.retryable || attempt === limits.maxAttempts || signal.aborted) throw failure;
    }
    await pause(limits.retryDelayMs, undefined, { signal }).catch(() => {
      throw new ProviderFailure('timed out', false);
    });
  }
}

function requestOf(
  { url, tenantId, authToken, allowedNetworks, paused = false }: ProviderAddress,
  checks: readonly AccessCheck[],
  { attemptTimeoutMs, maxResponseBytes }: ProviderLimits,
  signal: AbortSignal,
): GuardedRequest {
  return {
    url,
    owner: tenantId,
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'Steward',
      ...(authToken !== '' && { authorization: `Bearer ${authToken}` }),
    },
    body: JSON.stringify({ data: { requests: checks } }),
    timeoutMs: attemptTimeoutMs,
    maxResponseBytes,
    allowedNetworks,
    paused,
    signal,
  };
}

const retriedStatus = (status: number): boolean => status >= 500 || status === 408 || status === 429;

async function attemptCall(
  request: GuardedRequest,
  { take: takeRoom, close }: ResponseShare,
): Promise<ReadonlyMap<string, ProviderResponse>> {
  try {
    const { status, body, cut } = await guardedRequest({ ...request, takeRoom });
    if (status < 200 || status > 299) {
      throw new ProviderFailure(`responded with status ${String(status)}`, retriedStatus(status));
    }
    if (cut) throw new ProviderFailure('response too large', false);
    const responses = readResponses(body.toString('utf8'));
    if (responses === undefined) throw new ProviderFailure('malformed response', false);
    return responses;
  } finally {
    close();
  }
}

const retryableReasons: ReadonlySet<string> = new Set([
  'connection-failed',
  'timed-out',
  'not-resolved',
  'no-room',
]);

function failureOf(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error;
  if (error instanceof OutboundError) {
    return new ProviderFailure(error.message, retryableReasons.has(error.reason));
  }
  throw error;
}
