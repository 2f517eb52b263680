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

const LockRow = z.strictObject({ taken: z.boolean() });
const keptSince = sql<Date>`now() - ${sql.lit(`${String(idempotencyHours)} hours`)}::interval`;

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
    rowOf(em, LockRow, sql`select pg_try_advisory_xact_lock(${lockNumber(request)}::bigint) as taken`),
    // Sent together, but a statement of its own: it must see what the holder before us committed.
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
  const unanswered = httpStatus === null || sealed === null;
  // A lease that ran out was left by a process that died: the key is free, also for another request.
  if (unanswered && found.leased !== true) return { state: 'fresh' };
  if (!isSameRequest(request, found.request_hash)) return { state: 'other-request' };
  if (unanswered) return { state: 'running' };
  const body = inflateRawSync(keyRing.decryptBytes(sealed, contextOf(request))).toString('utf8');
  return { state: 'replay', response: { httpStatus, body } };
}

function isSameRequest({ requestHash, formerRequestHash }: IdempotentRequest, stored: Buffer): boolean {
  return stored.equals(requestHash) || formerRequestHash?.equals(stored) === true;
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
  const leased = await put(em, request, {
    http_status: null,
    response_enc: null,
    lease_until: sql<Date>`now() + ${milliseconds} * interval '1 millisecond'`,
  });
  return { ...request, until: leased.until };
}

/**
 * Says whether a call that went outside still holds its key, and keeps others from claiming it until the transaction ends.
 * False when it stalled for longer than its lease and a later call has taken the key since.
 */
export async function holdsLease(em: EntityManager, lease: Lease): Promise<boolean> {
  const [, held] = await Promise.all([
    sql`select pg_advisory_xact_lock(${lockNumber(lease)}::bigint)`.execute(tablesOf(em)),
    // A statement of its own: it must see what the holder of the lock before us committed.
    tablesOf(em)
      .selectFrom('idempotency')
      .select('scope')
      .where((row) => row.and({ ...identity(lease), http_status: null }))
      .where('lease_until', '=', sql<Date>`${lease.until}::timestamptz`)
      .executeTakeFirst(),
  ]);
  return held !== undefined;
}

/** Gives a leased key back unanswered, so that the same call may run again; a later call's lease stays. */
export async function releaseKey(em: EntityManager, lease: Lease): Promise<void> {
  await tablesOf(em)
    .deleteFrom('idempotency')
    .where((row) => row.and({ ...identity(lease), http_status: null }))
    .where('lease_until', '=', sql<Date>`${lease.until}::timestamptz`)
    .execute();
}

/** Stores the answer in the transaction of the act: a crash leaves both or neither. */
export async function storeResponse(
  em: EntityManager,
  keyRing: KeyRing,
  request: IdempotentRequest,
  { httpStatus, body }: StoredResponse,
): Promise<void> {
  const sealed = keyRing.encrypt(deflateRawSync(Buffer.from(body, 'utf8'), { level: 1 }), contextOf(request));
  await put(em, request, { http_status: httpStatus, response_enc: sealed, lease_until: null });
}

/** Writes the row of a key, over an earlier one. `until` is the end of its lease, as PostgreSQL writes it. */
const put = async (
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
