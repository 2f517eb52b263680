import { apiKeyKind } from '../configuration/kinds/api-key.ts';
import { readConfiguration } from '../configuration/read-configuration.ts';
import type { Configuration } from '../../platform/config/configuration.ts';
import type { Orm } from '../../platform/database/orm.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { callModel } from './call-model.ts';
import { noKey, callTimedOut, type RewriterResponse } from './rewriter-response.ts';
import { beginCall, maxCalls, storeStagedResponse, type BegunCall } from './staged-requests.ts';

export interface CallOptions {
  readonly orm: Orm;
  readonly keyRing: KeyRing;
  readonly providerBaseUrls: Configuration['providerBaseUrls'];
}

/** The provider is to be asked again. */
export interface RetryLater {
  /** What went wrong; without a word of the provider's but its error code. */
  readonly reason: string;
  /** Milliseconds until then. */
  readonly wait: number;
}

/** Milliseconds: a call at the longest, and what must be left for another one. */
const times = { call: 30_000, another: 1_000 } as const;

/** Milliseconds before the second and the third call, a fifth more or less. */
const waits = [500, 2_000] as const;

/** Makes one call of a staged request, and stores what came of it unless it is to be made again. Undefined when nobody waits. */
export async function respondToRequest(
  asking: CallOptions,
  requestId: string,
  signal: AbortSignal,
): Promise<RetryLater | RewriterResponse | undefined> {
  const { orm, keyRing } = asking;
  const em = orm.em.fork();
  const begun = await beginCall(em, keyRing, requestId);
  if (begun === undefined) return undefined;
  const found = await callOnce(asking, begun, signal);
  if ('success' in found) {
    await storeStagedResponse(em, keyRing, { requestId, apiKeyId: begun.apiKeyId }, found);
  }
  return found;
}

async function callOnce(
  { orm, keyRing, providerBaseUrls }: CallOptions,
  begun: BegunCall,
  signal: AbortSignal,
): Promise<RetryLater | RewriterResponse> {
  const { apiKeyId, request, call, left } = begun;
  const { provider } = request;
  if (call > maxCalls || left < times.another) return callTimedOut(provider);
  const { aiModelKeys } = await readConfiguration(orm.em.fork(), keyRing, apiKeyId, apiKeyKind);
  if (aiModelKeys[provider] === '') return noKey(provider);
  const until = Date.now() + left;
  const asked = await callModel(
    request,
    { baseUrl: providerBaseUrls[provider], apiKey: aiModelKeys[provider] },
    { number: call, limit: Math.min(times.call, left), signal },
  );
  if ('response' in asked) return asked.response;
  const wait = waitBefore(begun, asked.again, until);
  return wait === undefined ? asked.failure : { reason: asked.failure.error, wait };
}

/** Undefined when there is to be no further call, or no time for one. */
function waitBefore({ call }: BegunCall, again: number | undefined, until: number): number | undefined {
  const own = waits[call - 1];
  if (again === undefined || own === undefined) return undefined;
  const wait = Math.max(again, own * (0.8 + Math.random() * 0.4));
  return Date.now() + wait + times.another <= until ? Math.ceil(wait) : undefined;
}
