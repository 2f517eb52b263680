import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { randomToken } from '../../platform/encryption/tokens.ts';
import type { AiProvider } from '../configuration/kinds/api-key.ts';
import { batchDeletion } from '../delete-batch.ts';
import { callHash, type IdempotentRequest } from '../idempotency/idempotent-request.ts';
import { isActiveKey } from '../workspaces/key-activity.ts';
import { tablesOf } from '../tables.ts';
import type { RewriterResponse } from './rewriter-response.ts';

/*
 * Requests and responses are stored encrypted, because workflow histories must contain neither. Reading the response deletes
 * the row; other rows are deleted after an hour.
 */

/** A request to a model. */
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

/** Milliseconds for a request, including retries. */
const totalTimeoutMs = 58_000;

/** Max provider calls of a request, across crashes. */
export const maxCalls = 3;

export interface StagedRef {
  readonly requestId: string;
  /** Surrogate key. */
  readonly apiKeyId: string;
}

/**
 * A call's claim on a staged request. `requestedAt` is its fencing token: a repeated call sets a new one. Then the
 * earlier call can neither drop the request nor cancel its workflow.
 */
export interface StagedClaim extends StagedRef {
  /** PostgreSQL's text form, with microseconds. */
  readonly requestedAt: string;
}

export interface Staged {
  readonly requestId: string;
  readonly requestedAt: string;
  /** Whether the request of an earlier call already has a response. */
  readonly hasResponse: boolean;
}

/** Inserts the row, or claims the row of an earlier call with the same idempotency key. */
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
      sql<string>`asked_at::text`.as('requestedAt'),
      sql<boolean>`answer_enc is not null`.as('hasResponse'),
    ])
    .executeTakeFirstOrThrow();
}

/** A counted provider call that is about to start. */
export interface BegunCall {
  readonly apiKeyId: string;
  readonly request: RewriterRequest;
  /** 1 for the first call; greater than `maxCalls` when none remain. */
  readonly call: number;
  /** Milliseconds until the time limit. */
  readonly remainingMs: number;
}

const remainingOf = (milliseconds: number) =>
  sql<number>`floor(extract(epoch from asked_at - clock_timestamp()) * 1000 + ${milliseconds})::int`;

/**
 * Counts a call before it starts, so that a crash cannot exceed the limit. Undefined when no caller waits or the key is
 * disabled.
 */
export async function beginCall(
  em: EntityManager,
  keyRing: KeyRing,
  requestId: string,
): Promise<BegunCall | undefined> {
  const found = await tablesOf(em)
    .updateTable('staged_request')
    .set({ calls: sql`least(calls + 1, ${maxCalls + 1})` })
    .where((row) => row.and({ public_id: requestId, answer_enc: null }))
    .where(isActiveKey(sql`staged_request.api_key_id`))
    .returning(['api_key_id', 'request_enc', 'calls', remainingOf(totalTimeoutMs).as('remainingMs')])
    .executeTakeFirst();
  if (found === undefined) return undefined;
  const { api_key_id: apiKeyId, request_enc: sealed, calls: call, remainingMs } = found;
  const request = keyRing.decrypt(sealed, stagedContext('request_enc', { requestId, apiKeyId }));
  return { apiKeyId, request: JSON.parse(request) as RewriterRequest, call, remainingMs };
}

/** How far a request has come: whether a provider call began, and whether its response is stored. */
export interface StagedProgress {
  readonly begun: boolean;
  readonly responded: boolean;
}

/** Returns the progress of a request; undefined when its row is gone. */
export async function readProgress(
  em: EntityManager,
  staged: StagedRef,
): Promise<StagedProgress | undefined> {
  return tablesOf(em)
    .selectFrom('staged_request')
    .select([sql<boolean>`calls > 0`.as('begun'), sql<boolean>`answer_enc is not null`.as('responded')])
    .where((row) => row.and(identity(staged)))
    .executeTakeFirst();
}

/** The PostgreSQL notification channel that announces ids of requests with a response. */
export const respondedChannel = 'rewriter_answered';

/** Stores the first response of a request and notifies its caller. */
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
    .select(sql`pg_notify(${sql.lit(respondedChannel)}, public_id)`.as('notified'))
    .execute();
}

/** Deletes the row and returns its response. */
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

/**
 * Deletes a request that its call has abandoned, so that no further provider call begins. Returns whether one has begun;
 * undefined when a repeated call has claimed the request or the row is gone. The response of a call with an idempotency
 * key stays, also undefined: a repeated call would pay for another.
 */
export async function dropStagedRequest(
  em: EntityManager,
  claim: StagedClaim,
): Promise<{ readonly begun: boolean } | undefined> {
  return tablesOf(em)
    .deleteFrom('staged_request')
    .where((row) => row.and(identity(claim)))
    .where('asked_at', '=', sql<Date>`${claim.requestedAt}::timestamptz`)
    .where((row) => row.or([row('call_hash', 'is', null), row('answer_enc', 'is', null)]))
    .returning(sql<boolean>`calls > 0`.as('begun'))
    .executeTakeFirst();
}

const identity = ({ requestId, apiKeyId }: StagedRef) => ({ public_id: requestId, api_key_id: apiKeyId });

/**
 * Deletes one batch of requests that crashed processes left 1 hour ago or earlier. Returns whether more may be expired.
 */
export const deleteExpiredStagedRequests = batchDeletion({
  table: 'staged_request',
  where: sql`asked_at < now() - interval '1 hour'`,
  orderBy: 'asked_at',
  max: 1_000,
});
