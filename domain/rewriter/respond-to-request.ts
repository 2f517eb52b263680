import { setTimeout as pause } from 'node:timers/promises';
import type { Configuration } from '../../platform/config/configuration.ts';
import { classifyDatabaseError, type DatabaseFailure } from '../../platform/database/failures.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { apiKeyKind } from '../configuration/kinds/api-key.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import { countUsageNow } from '../tenancy/usage.ts';
import { callModel } from './call-model.ts';
import { noKey, callTimedOut, type RewriterResponse, type TokenUsage } from './rewriter-response.ts';
import { beginCall, maxCalls, storeStagedResponse, type BegunCall } from './staged-requests.ts';

export interface CallOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly providerBaseUrls: Configuration['providerBaseUrls'];
}

/** A failed call that Temporal retries. */
export interface RetryLater {
  /** The failure; contains only the error code of the provider's response. */
  readonly reason: string;
  readonly delayMs: number;
}

/** Milliseconds: max duration of a call, min remaining time for another call, and wait before storing a response again. */
const timesMs = { call: 30_000, minRemaining: 1_000, storeAgain: 250 } as const;

/** Milliseconds before the second and third call, with 20 % jitter. */
const delaysMs = [500, 2_000] as const;

/**
 * Makes one call of a staged request and stores the result unless it is retried. Storing is retried for the remaining time
 * of the request while the database fails. Undefined when no caller waits.
 */
export async function respondToRequest(
  options: CallOptions,
  requestId: string,
  signal: AbortSignal,
): Promise<RetryLater | RewriterResponse | undefined> {
  const { orm, keyRing } = options;
  const em = orm.em.fork();
  const begun = await beginCall(em, keyRing, requestId);
  if (begun === undefined) return undefined;
  const until = performance.now() + begun.remainingMs;
  const found = await callOnce(options, begun, signal);
  if ('success' in found) {
    const ref = { requestId, apiKeyId: begun.apiKeyId };
    const store = async (): Promise<void> => storeStagedResponse(em, keyRing, ref, found);
    await retryOutages(store, () => signal.aborted || performance.now() > until);
  }
  return found;
}

const outages: ReadonlySet<DatabaseFailure> = new Set(['unavailable', 'timeout', 'conflict']);

/** Retries while the database fails: a response that is not stored would cost another provider call. */
async function retryOutages(store: () => Promise<void>, isOver: () => boolean): Promise<void> {
  for (;;) {
    try {
      await store();
      return;
    } catch (error) {
      if (isOver() || !outages.has(classifyDatabaseError(error))) throw error;
      await pause(timesMs.storeAgain);
    }
  }
}

async function callOnce(
  { orm, keyRing, providerBaseUrls }: CallOptions,
  begun: BegunCall,
  signal: AbortSignal,
): Promise<RetryLater | RewriterResponse> {
  const { apiKeyId, request, call, remainingMs } = begun;
  const { provider } = request;
  if (call > maxCalls || remainingMs < timesMs.minRemaining) return callTimedOut(provider);
  const { aiModelKeys } = await readConfiguration(orm.em.fork(), keyRing, apiKeyId, apiKeyKind);
  if (aiModelKeys[provider] === '') return noKey(provider);
  const until = Date.now() + remainingMs;
  countUsageNow(orm, apiKeyId, { aiCalls: 1 });
  const result = await callModel(
    request,
    { baseUrl: providerBaseUrls[provider], apiKey: aiModelKeys[provider] },
    { number: call, limit: Math.min(timesMs.call, remainingMs), signal },
  );
  if ('response' in result) {
    if (result.usage !== undefined) countTokens(orm, apiKeyId, result.usage);
    return result.response;
  }
  const delayMs = retryDelay(begun, result.retryAfterMs, until);
  return delayMs === undefined ? result.failure : { reason: result.failure.error, delayMs };
}

function countTokens(orm: Orm, apiKeyId: string, { inputTokens, outputTokens }: TokenUsage): void {
  countUsageNow(orm, apiKeyId, { aiInputTokens: inputTokens, aiOutputTokens: outputTokens });
}

/** Undefined when the failure is final or no time remains. */
function retryDelay(
  { call }: BegunCall,
  retryAfterMs: number | undefined,
  until: number,
): number | undefined {
  const own = delaysMs[call - 1];
  if (retryAfterMs === undefined || own === undefined) return undefined;
  const wait = Math.max(retryAfterMs, own * (0.8 + Math.random() * 0.4));
  return Date.now() + wait + timesMs.minRemaining <= until ? Math.ceil(wait) : undefined;
}
