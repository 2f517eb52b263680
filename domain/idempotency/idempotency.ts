import { createHash, createHmac } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { row, rows } from '../../platform/database/sql.ts';
import { writeJson, type MembersOf } from '../../platform/json/write-json.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import type { KeyRing, SecretPlace } from '../../platform/encryption/key-ring.ts';
import { scopeNumbers } from './idempotency.entity.ts';

/** Whose key it is: two owners may use the same text. */
export interface IdempotencyScope {
  readonly kind: 'operator' | 'workspace' | 'apiKey';
  /** Surrogate key of the owner; 0 for the operator. */
  readonly ownerId: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  readonly keyHash: Buffer;
  /** HMAC-SHA256 with a secret of the deployment: a copy of the database confirms no guess of what was sent. */
  readonly requestHash: Buffer;
  /** The hash that version 0.1 stored: its rows are replayed until they are 24 hours old. */
  readonly formerRequestHash?: Buffer;
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

/** Where an answer is sealed until it is replayed. */
export const idempotentAnswerPlace = ({ kind, ownerId }: IdempotencyScope, keyHash: Buffer): SecretPlace => ({
  table: 'idempotency',
  column: 'response_enc',
  row: keyHash.toString('hex'),
  tenant: `${kind}/${ownerId}`,
});

/** How long an answer is kept and replayed. */
export const idempotencyHours = 24;

/** `secret` is the deployment's for `idempotency`. The same data has another hash under each key and for each owner. */
export async function idempotentRequest(
  secret: Buffer,
  scope: IdempotencyScope,
  { path, key, data }: { readonly path: string; readonly key: string; readonly data: unknown },
): Promise<IdempotentRequest> {
  const keyHash = createHash('sha256').update(`${path}\0${key}`).digest();
  const keyed = createHmac('sha256', secret).update(`${scope.kind}/${scope.ownerId}/`).update(keyHash);
  const former = createHash('sha256');
  const take = (text: string): void => {
    keyed.update(text);
    former.update(text);
  };
  await inTurns(writeJson(data, take, inOrder));
  return {
    scope,
    keyHash,
    requestHash: keyed.digest(),
    formerRequestHash: former.digest(),
  };
}

/** The same data in another order of members is the same request. Names that are numbers come first, as in every object. */
const inOrder: MembersOf = (map) =>
  Object.entries(Object.fromEntries(Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1))));

/**
 * Takes the key for this transaction; it is free again when the transaction ends, however it ends.
 * The advisory lock is 64 bits: a collision is a false "running", never a wrong replay, which the row decides.
 */
export async function claimIdempotencyKey(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Claim> {
  const [lock, found] = await Promise.all([
    row<{ taken: boolean }>(em, 'select pg_try_advisory_xact_lock($1::bigint) as taken', [
      lockNumber(request),
    ]),
    // Sent together, but a statement of its own: it must see what the holder before us committed.
    row<IdempotencyRow>(
      em,
      `select request_hash, http_status, response_enc, lease_until > now() as leased from idempotency
       where scope = $1 and scope_id = $2 and key_hash = $3 and created_at > now() - interval '${String(idempotencyHours)} hours'`,
      identity(request),
    ),
  ]);
  if (lock?.taken !== true) return { state: 'running' };
  if (found === undefined) return { state: 'fresh' };
  const { http_status: httpStatus, response_enc: sealed } = found;
  const unanswered = httpStatus === null || sealed === null;
  // A lease that ran out was left by a process that died: the key is free, also for another request.
  if (unanswered && found.leased !== true) return { state: 'fresh' };
  if (!isSameRequest(request, found.request_hash)) return { state: 'other-request' };
  if (unanswered) return { state: 'running' };
  const body = inflateRawSync(keyRing.decryptBytes(sealed, place(request))).toString('utf8');
  return { state: 'replay', answer: { httpStatus, body } };
}

function isSameRequest({ requestHash, formerRequestHash }: IdempotentRequest, stored: Buffer): boolean {
  return stored.equals(requestHash) || formerRequestHash?.equals(stored) === true;
}

interface IdempotencyRow {
  request_hash: Buffer;
  /** Null, as the answer is, while a call with outside steps holds the key. */
  http_status: number | null;
  response_enc: Buffer | null;
  leased: boolean | null;
}

/**
 * A key that a call holds while it goes outside. `until` is its fencing token: a key is leased again only after that time, so
 * that every later lease ends later, whatever the clocks of the processes say.
 */
export interface Lease extends IdempotentRequest {
  /** As PostgreSQL writes it, to the microsecond. */
  readonly until: string;
}

/** Keeps a claimed key beyond this transaction, for a call that goes outside: until it is answered, released or its time is over. */
export async function leaseKey(
  em: EntityManager,
  request: IdempotentRequest,
  milliseconds: number,
): Promise<Lease> {
  const leased = await row<{ until: string }>(
    em,
    `insert into idempotency (scope, scope_id, key_hash, request_hash, lease_until)
     values ($1, $2, $3, $4, now() + $5 * interval '1 millisecond')
     on conflict (scope, scope_id, key_hash) do update set request_hash = excluded.request_hash, http_status = null,
       response_enc = null, lease_until = excluded.lease_until, created_at = now()
     returning lease_until::text as until`,
    [...identity(request), request.requestHash, milliseconds],
  );
  if (leased === undefined) throw new Error('missing row of a leased idempotency key');
  return { ...request, until: leased.until };
}

/**
 * Says whether a call that went outside still holds its key, and keeps others from claiming it until the transaction ends.
 * False when it stalled for longer than its lease and a later call has taken the key since.
 */
export async function holdsLease(em: EntityManager, lease: Lease): Promise<boolean> {
  const [, held] = await Promise.all([
    rows(em, 'select pg_advisory_xact_lock($1::bigint)', [lockNumber(lease)]),
    // A statement of its own: it must see what the holder of the lock before us committed.
    row(
      em,
      `select 1 from idempotency where scope = $1 and scope_id = $2 and key_hash = $3 and http_status is null
         and lease_until = $4::timestamptz`,
      [...identity(lease), lease.until],
    ),
  ]);
  return held !== undefined;
}

/** Gives a leased key back unanswered, so that the same call may run again; a later call's lease stays. */
export async function releaseKey(em: EntityManager, lease: Lease): Promise<void> {
  await rows(
    em,
    `delete from idempotency where scope = $1 and scope_id = $2 and key_hash = $3 and http_status is null
       and lease_until = $4::timestamptz`,
    [...identity(lease), lease.until],
  );
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
       http_status = excluded.http_status, response_enc = excluded.response_enc, lease_until = null, created_at = now()`,
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
