import { createHash, createHmac } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { sql, type InsertObject } from 'kysely';
import { z } from 'zod';
import { tablesOf, type Tables } from '../tables.ts';
import { writeJson, type MembersOf } from '../../platform/json/write-json.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { scopeNumbers } from './idempotency.entity.ts';

/** The owner of a key; each owner has its own keys. */
export interface IdempotencyScope {
  readonly kind: 'operator' | 'workspace' | 'apiKey';
  /** The owner's surrogate key; 0 for STEWARD_OPERATOR_TOKEN. */
  readonly ownerId: string;
}

export interface IdempotentRequest {
  readonly scope: IdempotencyScope;
  readonly keyHash: Buffer;
  /** HMAC-SHA256 with a deployment secret, so that a database copy confirms no guess of the request. */
  readonly requestHash: Buffer;
  /** The hash that version 0.1 stored: its rows are replayed until they are 24 hours old. */
  readonly formerRequestHash?: Buffer;
}

/** The first response, as sent. */
export interface StoredResponse {
  readonly httpStatus: number;
  readonly body: string;
}

export type Claim =
  | { readonly state: 'fresh' }
  | { readonly state: 'running' }
  | { readonly state: 'other-request' }
  | { readonly state: 'replay'; readonly response: StoredResponse };

/** The AAD context of a stored response. */
export const idempotentResponseContext = (
  { kind, ownerId }: IdempotencyScope,
  keyHash: Buffer,
): AadContext => ({
  table: 'idempotency',
  column: 'response_enc',
  row: keyHash.toString('hex'),
  tenant: `${kind}/${ownerId}`,
});

/** Retention of stored responses. */
export const idempotencyHours = 24;

/** `secret` is the deployment's `idempotency` secret. The hash depends on data, key and owner. */
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
  await inTurns(writeJson(data, take, sortedMembers));
  return {
    scope,
    keyHash,
    requestHash: keyed.digest(),
    formerRequestHash: former.digest(),
  };
}

/** Sorts members, so that their order does not matter. Numeric names come first, as in every object. */
const sortedMembers: MembersOf = (map) =>
  Object.entries(Object.fromEntries(Object.entries(map).sort(([left], [right]) => (left < right ? -1 : 1))));

const LockRow = z.strictObject({ taken: z.boolean() });
const keptSince = sql<Date>`now() - ${sql.lit(`${String(idempotencyHours)} hours`)}::interval`;

/**
 * Claims the key until the transaction ends. The advisory lock has 64 bits: a collision reports a false "running", never a
 * wrong replay, because the row decides.
 */
export async function claimIdempotencyKey(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
): Promise<Claim> {
  const [lock, found] = await Promise.all([
    rowOf(em, LockRow, sql`select pg_try_advisory_xact_lock(${lockNumber(request)}::bigint) as taken`),
    // A separate statement in the same round trip: it must see what the previous holder committed.
    tablesOf(em)
      .selectFrom('idempotency')
      .select([
        'request_hash',
        'http_status',
        'response_enc',
        sql<boolean | null>`lease_until > now()`.as('leased'),
      ])
      .where((row) => row.and(identity(request)))
      .where('created_at', '>', keptSince)
      .executeTakeFirst(),
  ]);
  if (lock?.taken !== true) return { state: 'running' };
  if (found === undefined) return { state: 'fresh' };
  const { http_status: httpStatus, response_enc: sealed } = found;
  const pending = httpStatus === null || sealed === null;
  // An expired lease belongs to a crashed process: the key is free, even for another request.
  if (pending && found.leased !== true) return { state: 'fresh' };
  if (!isSameRequest(request, found.request_hash)) return { state: 'other-request' };
  if (pending) return { state: 'running' };
  const body = inflateRawSync(keyRing.decryptBytes(sealed, contextOf(request))).toString('utf8');
  return { state: 'replay', response: { httpStatus, body } };
}

function isSameRequest({ requestHash, formerRequestHash }: IdempotentRequest, stored: Buffer): boolean {
  return stored.equals(requestHash) || formerRequestHash?.equals(stored) === true;
}

/**
 * A key leased by a call with outside steps. `until` is its fencing token: the next lease starts after that time by
 * PostgreSQL's clock, so every later lease ends later.
 */
export interface Lease extends IdempotentRequest {
  /** PostgreSQL text form, to the microsecond. */
  readonly until: string;
}

/** Leases a claimed key beyond this transaction, until a response is stored, the key is released or the lease expires. */
export async function leaseKey(
  em: EntityManager,
  request: IdempotentRequest,
  durationMs: number,
): Promise<Lease> {
  const leased = await upsert(em, request, {
    http_status: null,
    response_enc: null,
    lease_until: sql<Date>`now() + ${durationMs} * interval '1 millisecond'`,
  });
  return { ...request, until: leased.until };
}

/**
 * Returns whether a call still holds its lease, and blocks other claims until the transaction ends. False when the lease
 * expired and a later call claimed the key.
 */
export async function holdsLease(em: EntityManager, lease: Lease): Promise<boolean> {
  const [, held] = await Promise.all([
    sql`select pg_advisory_xact_lock(${lockNumber(lease)}::bigint)`.execute(tablesOf(em)),
    // A separate statement: it must see what the previous lock holder committed.
    tablesOf(em)
      .selectFrom('idempotency')
      .select('scope')
      .where((row) => row.and({ ...identity(lease), http_status: null }))
      .where('lease_until', '=', sql<Date>`${lease.until}::timestamptz`)
      .executeTakeFirst(),
  ]);
  return held !== undefined;
}

/** Releases a leased key without a response, so that the call can be repeated. Keeps a later call's lease. */
export async function releaseKey(em: EntityManager, lease: Lease): Promise<void> {
  await tablesOf(em)
    .deleteFrom('idempotency')
    .where((row) => row.and({ ...identity(lease), http_status: null }))
    .where('lease_until', '=', sql<Date>`${lease.until}::timestamptz`)
    .execute();
}

/** Stores the response in the transaction of the call: a crash leaves both or neither. */
export async function storeResponse(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  { httpStatus, body }: StoredResponse,
): Promise<void> {
  const sealed = keyRing.encrypt(deflateRawSync(Buffer.from(body, 'utf8'), { level: 1 }), contextOf(request));
  await upsert(em, request, { http_status: httpStatus, response_enc: sealed, lease_until: null });
}

/** Inserts or overwrites the row of a key. Returns the end of its lease. */
const upsert = async (
  em: EntityManager,
  request: IdempotentRequest,
  state: Pick<InsertObject<Tables, 'idempotency'>, 'http_status' | 'response_enc' | 'lease_until'>,
) =>
  tablesOf(em)
    .insertInto('idempotency')
    .values({ ...identity(request), request_hash: request.requestHash, ...state })
    .onConflict((conflict) =>
      conflict.columns(['scope', 'scope_id', 'key_hash']).doUpdateSet((row) => ({
        request_hash: row.ref('excluded.request_hash'),
        http_status: row.ref('excluded.http_status'),
        response_enc: row.ref('excluded.response_enc'),
        lease_until: row.ref('excluded.lease_until'),
        created_at: sql`now()`,
      })),
    )
    .returning(sql<string>`lease_until::text`.as('until'))
    .executeTakeFirstOrThrow();

const identity = ({ scope, keyHash }: IdempotentRequest) => ({
  scope: scopeNumbers[scope.kind],
  scope_id: scope.ownerId,
  key_hash: keyHash,
});

const contextOf = ({ scope, keyHash }: IdempotentRequest): AadContext =>
  idempotentResponseContext(scope, keyHash);

function lockNumber({ scope, keyHash }: IdempotentRequest): string {
  return createHash('sha256')
    .update(`${scope.kind}/${scope.ownerId}/`)
    .update(keyHash)
    .digest()
    .readBigInt64BE()
    .toString();
}
