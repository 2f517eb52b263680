import { sql } from 'kysely';
import type { AiProvider } from '../configuration/kinds/api-key.ts';
import type { IdempotentRequest } from '../idempotency/idempotency.ts';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken, sha256 } from '../../platform/encryption/tokens.ts';
import type { RewriterResponse } from './rewriter-response.ts';

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

/** The AAD context of a staged request or its response. */
export const stagedContext = (
  column: 'request_enc' | 'answer_enc',
  { requestId, apiKeyId }: { readonly requestId: string; readonly apiKeyId: string },
): AadContext => ({ table: 'staged_request', column, row: requestId, tenant: apiKeyId });

/** Milliseconds from the request in which a provider must have answered, its retries included. */
export const totalTimeoutMs = 58_000;

/** How often a provider is asked at most, whatever dies in between. */
export const maxCalls = 3;

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
    stagedContext('request_enc', { requestId, apiKeyId }),
  );
  return tablesOf(em)
    .insertInto('staged_request')
    .values({
      public_id: requestId,
      api_key_id: apiKeyId,
      request_enc: sealed,
      call_hash: idempotent === undefined ? null : callHash(idempotent),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['api_key_id', 'call_hash'])
        .where('call_hash', 'is not', null)
        .doUpdateSet({ asked_at: sql`now()` }),
    )
    .returning([
      'public_id as requestId',
      sql<string>`asked_at::text`.as('askedAt'),
      sql<boolean>`answer_enc is not null`.as('answered'),
    ])
    .executeTakeFirstOrThrow();
}

const callHash = ({ keyHash, requestHash }: IdempotentRequest): Buffer =>
  sha256(Buffer.concat([keyHash, requestHash]));

/** A request about to be put to its provider. */
export interface BegunCall {
  readonly apiKeyId: string;
  readonly request: RewriterRequest;
  /** 1 for the first call; beyond `maxCalls` there is none. */
  readonly call: number;
  /** Milliseconds until an answer is too late. */
  readonly left: number;
}

const leftOf = (milliseconds: number) =>
  sql<number>`floor(extract(epoch from asked_at - clock_timestamp()) * 1000 + ${milliseconds})::int`;

/** Counts a call before it is made: one whose process dies in the middle has been counted. Undefined when nobody waits. */
export async function beginCall(
  em: EntityManager,
  keyRing: KeyRing,
  requestId: string,
): Promise<BegunCall | undefined> {
  const found = await tablesOf(em)
    .updateTable('staged_request')
    .set({ calls: sql`least(calls + 1, ${maxCalls + 1})` })
    .where((row) => row.and({ public_id: requestId, answer_enc: null }))
    .returning(['api_key_id', 'request_enc', 'calls', leftOf(totalTimeoutMs).as('left')])
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { api_key_id: apiKeyId, request_enc: sealed, calls: call, left } = found;
  const request = keyRing.decrypt(sealed, stagedContext('request_enc', { requestId, apiKeyId }));
  return { apiKeyId, request: JSON.parse(request) as RewriterRequest, call, left };
}

/** Whether its provider was asked at all. */
export async function wasBegun(em: EntityManager, staged: StagedRef): Promise<boolean> {
  const begun = await tablesOf(em)
    .selectFrom('staged_request')
    .select('id')
    .where((row) => row.and(identity(staged)))
    .where('calls', '>', 0)
    .executeTakeFirst();
  return begun !== undefined;
}

/** The channel on which the id of a request is told when its answer is there, as a notice of PostgreSQL. */
export const respondedChannel = 'rewriter_answered';

/** Puts the answer where the caller looks for it, and tells that it is there; the first one stays. */
export async function storeStagedResponse(
  em: EntityManager,
  keyRing: KeyRing,
  ref: StagedRef,
  response: RewriterResponse,
): Promise<void> {
  const sealed = keyRing.encrypt(JSON.stringify(response), stagedContext('answer_enc', ref));
  await tablesOf(em)
    .with('kept', (tables) =>
      tables
        .updateTable('staged_request')
        .set({ answer_enc: sealed })
        .where((row) => row.and({ ...identity(ref), answer_enc: null }))
        .returning('public_id'),
    )
    .selectFrom('kept')
    .select(sql`pg_notify(${sql.lit(respondedChannel)}, public_id)`.as('told'))
    .execute();
}

/** Takes the row away, with the answer that is in it. */
export async function takeStagedResponse(
  em: EntityManager,
  keyRing: KeyRing,
  ref: StagedRef,
): Promise<RewriterResponse | undefined> {
  const taken = await tablesOf(em)
    .deleteFrom('staged_request')
    .where((row) => row.and(identity(ref)))
    .returning('answer_enc')
    .executeTakeFirst();
  if (taken === undefined || taken.answer_enc === null) return undefined;
  return JSON.parse(keyRing.decrypt(taken.answer_enc, stagedContext('answer_enc', ref))) as RewriterResponse;
}

/** For a request that its call no longer waits for; false when a repetition waits for it now, or it is gone. */
export async function dropStagedRequest(em: EntityManager, claim: StagedClaim): Promise<boolean> {
  const { numDeletedRows } = await tablesOf(em)
    .deleteFrom('staged_request')
    .where((row) => row.and(identity(claim)))
    .where('asked_at', '=', sql<Date>`${claim.askedAt}::timestamptz`)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0;
}

const identity = ({ requestId, apiKeyId }: StagedRef) => ({ public_id: requestId, api_key_id: apiKeyId });

/** Rows a statement; the next turn takes what is left. */
const atOnce = 1_000;

/** What a process that died has left is cleared away after an hour. */
export async function deleteExpiredStagedRequests(em: EntityManager): Promise<void> {
  await sql`delete from staged_request where id = any(array(
    select id from staged_request where asked_at < now() - interval '1 hour' order by asked_at limit ${sql.lit(atOnce)}))
    and asked_at < now() - interval '1 hour'`.execute(tablesOf(em));
}
