import type { AiProvider } from '../configuration/kinds/api-key.ts';
import type { IdempotentRequest } from '../idempotency/idempotency.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedRows, row, rows } from '../../platform/database/sql.ts';
import type { KeyRing, SecretPlace } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import type { RewriterAnswer } from './rewriter-answer.ts';

/*
 * A request waits encrypted in a row, and so does its answer, because workflows must see neither; the row goes with the
 * answer. Nothing here names a person, and an hour later at the latest everything is gone.
 */

/** What a customer asks of a model. */
export interface RewriterRequest {
  readonly provider: AiProvider;
  readonly model: string;
  readonly oneMessage: boolean;
  readonly prompt: string;
  readonly text: string;
}

/** Where a request or its answer is sealed. */
export const stagedPlace = (
  column: 'request_enc' | 'answer_enc',
  { requestId, apiKeyId }: { readonly requestId: string; readonly apiKeyId: string },
): SecretPlace => ({ table: 'staged_request', column, row: requestId, tenant: apiKeyId });

/** Milliseconds from the request in which a provider must have answered, its retries included. */
export const timeInAll = 58_000;

/** How often a provider is asked at most, whatever dies in between. */
export const mostCalls = 3;

/** Which call's request it is. */
export interface StagedRef {
  readonly requestId: string;
  /** Surrogate key. */
  readonly apiKeyId: string;
}

/**
 * A call's hold on a staged request. `askedAt` is its fencing token: a repetition that takes the request over sets it anew,
 * and from then on the earlier call may neither drop the request nor end its workflow.
 */
export interface StagedClaim extends StagedRef {
  /** As PostgreSQL writes it, to the microsecond. */
  readonly askedAt: string;
}

export interface Staged {
  readonly requestId: string;
  readonly askedAt: string;
  /** There is an answer already: a repetition found what its first call left behind. */
  readonly answered: boolean;
}

/** Writes the row. A repetition under the same Idempotency-Key takes up the row of the first call, if it still is there. */
export async function stageRequest(
  em: EntityManager,
  keyRing: KeyRing,
  apiKeyId: string,
  request: RewriterRequest,
  idempotent: IdempotentRequest | undefined,
): Promise<Staged> {
  const requestId = randomToken('ask');
  const sealed = keyRing.encrypt(
    JSON.stringify(request),
    stagedPlace('request_enc', { requestId, apiKeyId }),
  );
  const staged = await row<Staged>(
    em,
    `insert into staged_request (public_id, api_key_id, request_enc, call_hash) values ($1, $2, $3, $4)
     on conflict (api_key_id, call_hash) where call_hash is not null do update set asked_at = now()
     returning public_id as "requestId", asked_at::text as "askedAt", answer_enc is not null as answered`,
    [requestId, apiKeyId, sealed, idempotent === undefined ? null : callHash(idempotent)],
  );
  if (staged === undefined) throw new Error('The request was not written.');
  return staged;
}

const callHash = ({ keyHash, requestHash }: IdempotentRequest): Buffer =>
  sha256(Buffer.concat([keyHash, requestHash]));

/** A request about to be put to its provider. */
export interface BegunCall {
  readonly apiKeyId: string;
  readonly request: RewriterRequest;
  /** 1 for the first call; beyond `mostCalls` there is none. */
  readonly call: number;
  /** Milliseconds until an answer is too late. */
  readonly left: number;
}

/** Counts a call before it is made: one whose process dies in the middle has been counted. Undefined when nobody waits. */
export async function beginCall(
  em: EntityManager,
  keyRing: KeyRing,
  requestId: string,
): Promise<BegunCall | undefined> {
  const found = await row<{ api_key_id: string; request_enc: Buffer; calls: number; left: number }>(
    em,
    `update staged_request set calls = least(calls + 1, $2) where public_id = $1 and answer_enc is null
     returning api_key_id, request_enc, calls::int,
       floor(extract(epoch from asked_at - clock_timestamp()) * 1000 + $3)::int as left`,
    [requestId, mostCalls + 1, timeInAll],
  );
  if (found === undefined) return undefined;
  const { api_key_id: apiKeyId, request_enc: sealed, calls: call, left } = found;
  const request = keyRing.decrypt(sealed, stagedPlace('request_enc', { requestId, apiKeyId }));
  return { apiKeyId, request: JSON.parse(request) as RewriterRequest, call, left };
}

/** Whether its provider was asked at all. */
export async function wasBegun(
  em: EntityManager,
  { requestId, apiKeyId }: { readonly requestId: string; readonly apiKeyId: string },
): Promise<boolean> {
  const begun = await row(
    em,
    'select 1 from staged_request where public_id = $1 and api_key_id = $2 and calls > 0',
    [requestId, apiKeyId],
  );
  return begun !== undefined;
}

/** The channel on which the id of a request is told when its answer is there, as a notice of PostgreSQL. */
export const answeredChannel = 'rewriter_answered';

/** Puts the answer where the caller looks for it, and tells that it is there; the first one stays. */
export async function storeStagedAnswer(
  em: EntityManager,
  keyRing: KeyRing,
  place: { readonly requestId: string; readonly apiKeyId: string },
  answer: RewriterAnswer,
): Promise<void> {
  const sealed = keyRing.encrypt(JSON.stringify(answer), stagedPlace('answer_enc', place));
  await rows(
    em,
    `with kept as (
       update staged_request set answer_enc = $3 where public_id = $1 and api_key_id = $2 and answer_enc is null returning public_id)
     select pg_notify('${answeredChannel}', public_id) from kept`,
    [place.requestId, place.apiKeyId, sealed],
  );
}

/** Takes the row away, with the answer that is in it. */
export async function takeStagedAnswer(
  em: EntityManager,
  keyRing: KeyRing,
  place: { readonly requestId: string; readonly apiKeyId: string },
): Promise<RewriterAnswer | undefined> {
  const taken = await row<{ answer_enc: Buffer | null }>(
    em,
    'delete from staged_request where public_id = $1 and api_key_id = $2 returning answer_enc',
    [place.requestId, place.apiKeyId],
  );
  if (taken === undefined || taken.answer_enc === null) return undefined;
  return JSON.parse(keyRing.decrypt(taken.answer_enc, stagedPlace('answer_enc', place))) as RewriterAnswer;
}

/** For a request that its call no longer waits for; false when a repetition waits for it now, or it is gone. */
export async function dropStagedRequest(
  em: EntityManager,
  { requestId, apiKeyId, askedAt }: StagedClaim,
): Promise<boolean> {
  const dropped = await changedRows(
    em,
    'delete from staged_request where public_id = $1 and api_key_id = $2 and asked_at = $3::timestamptz',
    [requestId, apiKeyId, askedAt],
  );
  return dropped > 0;
}

/** Rows a statement; the next turn takes what is left. */
const atOnce = 1_000;

/** What a process that died has left is cleared away after an hour. */
export async function clearStagedRequests(em: EntityManager): Promise<void> {
  await rows(
    em,
    `delete from staged_request where id = any(array(
       select id from staged_request where asked_at < now() - interval '1 hour' order by asked_at limit ${String(atOnce)}))
       and asked_at < now() - interval '1 hour'`,
  );
}
