import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { row, rows } from '../../platform/database/sql.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing, SecretPlace } from '../../platform/encryption/key-ring.ts';

/** Whose key it is: two owners may use the same text. */
export interface IdempotencyScope {
  readonly kind: 'operator' | 'workspace' | 'apiKey';
  /** Surrogate key of the owner; 0 for the operator. */
  readonly ownerId: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  readonly keyHash: Buffer;
  readonly requestHash: Buffer;
}

/** An answer as it was given the first time. */
export interface StoredAnswer {
  readonly httpStatus: number;
  readonly body: string;
}

export type Claim =
  | { readonly state: 'fresh' }
  | { readonly state: 'running' }
  | { readonly state: 'other-request' }
  | { readonly state: 'replay'; readonly answer: StoredAnswer };

/** As stored in `idempotency.scope`. */
export const scopeNumbers = { operator: 1, workspace: 2, apiKey: 3 } as const;

/** Where an answer is sealed until it is replayed. */
export const idempotentAnswerPlace = ({ kind, ownerId }: IdempotencyScope, keyHash: Buffer): SecretPlace => ({
  table: 'idempotency',
  column: 'response_enc',
  row: keyHash.toString('hex'),
  tenant: `${kind}/${ownerId}`,
});

/** How long an answer is kept and replayed. */
export const idempotencyHours = 24;

export function idempotentRequest(
  scope: IdempotencyScope,
  path: string,
  key: string,
  data: unknown,
): IdempotentRequest {
  return {
    scope,
    keyHash: createHash('sha256').update(`${path}\0${key}`).digest(),
    requestHash: createHash('sha256').update(canonicalJson(data)).digest(),
  };
}

/** The same data in another order of members is the same request. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  );
}

/**
 * Takes the key for this transaction; it is free again when the transaction ends, however it ends.
 * The advisory lock is 64 bits: a collision is a false "running", never a wrong replay, which the row decides.
 */
export async function claimIdempotencyKey(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Claim> {
  const lock = await row<{ taken: boolean }>(em, 'select pg_try_advisory_xact_lock($1::bigint) as taken', [
    lockNumber(request),
  ]);
  if (lock?.taken !== true) return { state: 'running' };
  // A second statement: it must see what the holder before us committed.
  const found = await row<{ request_hash: Buffer; http_status: number; response_enc: Buffer }>(
    em,
    `select request_hash, http_status, response_enc from idempotency
     where scope = $1 and scope_id = $2 and key_hash = $3 and created_at > now() - interval '${String(idempotencyHours)} hours'`,
    identity(request),
  );
  if (found === undefined) return { state: 'fresh' };
  if (!found.request_hash.equals(request.requestHash)) return { state: 'other-request' };
  const body = inflateRawSync(keyRing.decryptBytes(found.response_enc, place(request))).toString('utf8');
  return { state: 'replay', answer: { httpStatus: found.http_status, body } };
}

/** Stores the answer in the transaction of the act: a crash leaves both or neither. */
export async function storeAnswer(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  { httpStatus, body }: StoredAnswer,
): Promise<void> {
  const sealed = keyRing.encrypt(deflateRawSync(Buffer.from(body, 'utf8'), { level: 1 }), place(request));
  await rows(
    em,
    `insert into idempotency (scope, scope_id, key_hash, request_hash, http_status, response_enc)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (scope, scope_id, key_hash) do update set request_hash = excluded.request_hash,
       http_status = excluded.http_status, response_enc = excluded.response_enc, created_at = now()`,
    [...identity(request), request.requestHash, httpStatus, sealed],
  );
}

function identity({ scope, keyHash }: IdempotentRequest): [number, string, Buffer] {
  return [scopeNumbers[scope.kind], scope.ownerId, keyHash];
}

const place = ({ scope, keyHash }: IdempotentRequest): SecretPlace => idempotentAnswerPlace(scope, keyHash);

function lockNumber({ scope, keyHash }: IdempotentRequest): string {
  return createHash('sha256')
    .update(`${scope.kind}/${scope.ownerId}/`)
    .update(keyHash)
    .digest()
    .readBigInt64BE()
    .toString();
}
