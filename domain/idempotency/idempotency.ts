import { createHash, createHmac } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { sql } from 'kysely';
import { z } from 'zod';
import { writeJson, type MembersOf } from '../../platform/json/write-json.ts';
import { inTurns } from '../../platform/process/in-turns.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowOf } from '../../platform/database/statements.ts';
import type { AadContext, KeyRing } from '../../platform/encryption/key-ring.ts';
import { DomainError } from '../errors.ts';
import { messages } from '../messages.ts';
import { tablesOf } from '../tables.ts';
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
  /** HMAC-SHA256 with a deployment secret: a copy of the database does not reveal whether a guessed request was sent. */
  readonly requestHash: Buffer;
  /** The hash that version 0.1 stored: its rows are replayed until they are 24 hours old. */
  readonly formerRequestHash?: Buffer;
}

/** The first response, as sent. */
export interface StoredResponse {
  /** Its kind of success or refusal, which only the sender interprets: max 32,767. */
  readonly code: number;
  readonly body: string;
}

/** A key that the transaction has claimed and that has no stored response. */
export interface ClaimedKey extends IdempotentRequest {
  /** Number of the partition for PostgreSQL's current day. It is emptied 24 hours after the end of the day. */
  readonly slot: number;
}

export type Claim =
  | { readonly state: 'fresh'; readonly key: ClaimedKey }
  | { readonly state: 'running' }
  | { readonly state: 'other-request' }
  | { readonly state: 'replay'; readonly response: StoredResponse }
  /** The response is larger than `maxInlineBytes`: `readStoredResponse` reads it. */
  | { readonly state: 'large-replay'; readonly key: ClaimedKey; readonly code: number };

/** Max bytes of a response that a claim reads. Larger ones are read outside of its transaction, within a budget. */
const maxInlineBytes = 65_536;

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
const idempotencyHours = 24;

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
const sortedMembers: MembersOf = (map) => {
  const names = Object.keys(map);
  const firstText = names.findIndex((name) => !isArrayIndex(name));
  const numbers = firstText === -1 ? names : names.slice(0, firstText);
  const sorted = [...numbers, ...names.slice(numbers.length).sort()];
  return sorted.map((name) => [name, (map as Readonly<Record<string, unknown>>)[name]]);
};

/** Whether objects list a name among their first ones, in numeric order. */
const isArrayIndex = (name: string): boolean =>
  Number(name) < 2 ** 32 - 1 && String(Number(name) >>> 0) === name;

const LocksRow = z.strictObject({ taken: z.array(z.boolean()), slot: z.number() });

/**
 * Claims keys of one owner until the transaction ends, and returns the claims in their order. Each key may occur once.
 * An advisory lock has 64 bits: a collision reports a false "running", never a wrong replay, because the row decides.
 * The locks exclude other claims in all partitions.
 */
export async function claimIdempotencyKeys(
  em: EntityManager,
  keyRing: KeyRing,
  requests: readonly IdempotentRequest[],
): Promise<Claim[]> {
  const [first] = requests;
  if (first === undefined) return [];
  const [locks, rows] = await Promise.all([
    rowOf(
      em,
      LocksRow,
      sql`select array(select pg_try_advisory_xact_lock(number) from unnest(${requests.map(lockNumber)}::bigint[])
        as number) as taken, rotation_slot(now()) as slot`,
    ),
    // A separate statement, sent after the locks: it must see the commits of previous holders.
    tablesOf(em)
      .selectFrom('idempotency')
      .select([
        'key_hash',
        'request_hash',
        'http_status',
        sql<Buffer | null>`case when octet_length(response_enc) <= ${sql.lit(maxInlineBytes)} then response_enc end`.as(
          'response_enc',
        ),
        sql<boolean>`created_at > now() - ${sql.lit(`${String(idempotencyHours)} hours`)}::interval`.as(
          'kept',
        ),
        sql<boolean | null>`lease_until > now()`.as('leased'),
      ])
      .where((row) => row.and(ownerColumns(first)))
      .where(isOneOf(requests))
      .execute(),
  ]);
  if (locks === undefined) throw new Error('missing row of idempotency locks');
  const stored = new Map(rows.map((row) => [row.key_hash.toString('hex'), row]));
  const claims = requests.map((request, index): Claim => {
    const found = stored.get(request.keyHash.toString('hex'));
    return locks.taken[index] === true
      ? claimOf(keyRing, { ...request, slot: locks.slot }, found)
      : { state: 'running' };
  });
  const replaced = claims.flatMap((claim) =>
    claim.state === 'fresh' && stored.has(claim.key.keyHash.toString('hex')) ? [claim.key] : [],
  );
  if (replaced.length > 0) await rowsOfKeys(em, first, replaced).execute();
  return claims;
}

/** The row that a key has, if any. */
interface FoundRow {
  readonly request_hash: Buffer;
  readonly http_status: number | null;
  /** Null for a large response, too. */
  readonly response_enc: Buffer | null;
  /** The row is not expired. */
  readonly kept: boolean;
  readonly leased: boolean | null;
}

/** The claim of a key whose lock this transaction holds. */
function claimOf(keyRing: KeyRing, key: ClaimedKey, found: FoundRow | undefined): Claim {
  if (found === undefined) return { state: 'fresh', key };
  const { http_status: code, response_enc: sealed } = found;
  const pending = code === null;
  // An expired lease belongs to a crashed process: the key is free, even for another request.
  if (!found.kept || (pending && found.leased !== true)) return { state: 'fresh', key };
  if (!isSameRequest(key, found.request_hash)) return { state: 'other-request' };
  if (pending) return { state: 'running' };
  const body = sealed === null ? undefined : inlineBody(keyRing, key, sealed);
  if (body === undefined) return { state: 'large-replay', key, code };
  return { state: 'replay', response: { code, body } };
}

/** Undefined for a body beyond `maxInlineBytes`: repeated texts are compressed to a thousandth of their size. */
function inlineBody(keyRing: KeyRing, key: ClaimedKey, sealed: Buffer): string | undefined {
  const compressed = keyRing.decryptBytes(sealed, contextOf(key));
  try {
    return inflateRawSync(compressed, { maxOutputLength: maxInlineBytes }).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}

/**
 * Reads the body of a large stored response. Throws ABORTED when it has expired since its key was claimed. Reserve room
 * for a response of the max size before.
 */
export async function readStoredResponse(
  em: EntityManager,
  keyRing: KeyRing,
  key: ClaimedKey,
): Promise<string> {
  const found = await tablesOf(em)
    .selectFrom('idempotency')
    .select(['request_hash', 'response_enc'])
    .where((row) => row.and(identity(key)))
    .executeTakeFirst();
  const sealed = found?.response_enc ?? null;
  if (found === undefined || sealed === null || !isSameRequest(key, found.request_hash))
    throw new DomainError('ABORTED', messages.aborted);
  return inflateRawSync(keyRing.decryptBytes(sealed, contextOf(key))).toString('utf8');
}

function isSameRequest({ requestHash, formerRequestHash }: IdempotentRequest, stored: Buffer): boolean {
  return stored.equals(requestHash) || formerRequestHash?.equals(stored) === true;
}

/**
 * A key leased by a call with outside steps. `until` is its fencing token: the next lease starts after that time by
 * PostgreSQL's clock, so every later lease ends later.
 */
export interface Lease extends ClaimedKey {
  /** PostgreSQL text form, to the microsecond. */
  readonly until: string;
}

const LeaseRow = z.strictObject({ until: z.string() });

/** Leases a claimed key beyond this transaction, until a response is stored, the key is released or the lease expires. */
export async function leaseKey(em: EntityManager, key: ClaimedKey, durationMs: number): Promise<Lease> {
  const leased = await rowOf(
    em,
    LeaseRow,
    sql`insert into ${partitionOf(key.slot)} (scope, scope_id, key_hash, request_hash, lease_until)
      values (${scopeNumbers[key.scope.kind]}, ${key.scope.ownerId}, ${key.keyHash}, ${key.requestHash}, now() + ${durationMs} * interval '1 millisecond') returning lease_until::text as until`,
  );
  if (leased === undefined) throw new Error('missing row of an inserted lease');
  return { ...key, until: leased.until };
}

/**
 * Returns whether a call still holds its lease, and blocks other claims until the transaction ends. False when the lease
 * expired and a later call claimed the key.
 */
export async function holdsLease(em: EntityManager, lease: Lease): Promise<boolean> {
  const [, held] = await Promise.all([
    sql`select pg_advisory_xact_lock(${lockNumber(lease)}::bigint)`.execute(tablesOf(em)),
    // A separate statement: it must see the commit of the previous holder.
    tablesOf(em)
      .selectFrom('idempotency')
      .select('scope')
      .where((row) => row.and({ ...identity(lease), http_status: null }))
      .where('lease_until', '=', endOf(lease))
      .executeTakeFirst(),
  ]);
  return held !== undefined;
}

/** Releases a leased key without a response, so that the call can be repeated. Keeps a later call's lease. */
export async function releaseKey(em: EntityManager, lease: Lease): Promise<void> {
  await rowsOfKeys(em, lease, [lease])
    .where('http_status', 'is', null)
    .where('lease_until', '=', endOf(lease))
    .execute();
}

/** A response and the key it is stored for. */
export interface KeyedResponse {
  readonly key: ClaimedKey;
  readonly response: StoredResponse;
}

/** Stores responses to calls of one owner in their transaction: a crash leaves both or neither. */
export async function storeResponses(
  em: EntityManager,
  keyRing: KeyRing,
  responses: readonly KeyedResponse[],
): Promise<void> {
  const [first] = responses;
  if (first === undefined) return;
  const { scope, slot } = first.key;
  await sql`insert into ${partitionOf(slot)} (scope, scope_id, key_hash, request_hash, http_status, response_enc)
    select ${scopeNumbers[scope.kind]}, ${scope.ownerId}, r.* from unnest(
      ${responses.map(({ key }) => key.keyHash)}::bytea[], ${responses.map(({ key }) => key.requestHash)}::bytea[],
      ${responses.map(({ response }) => response.code)}::smallint[],
      ${responses.map(({ key, response }) => seal(keyRing, key, response))}::bytea[]) as r`.execute(
    tablesOf(em),
  );
}

/** `storeResponses` for a leased key whose lease is held. The 24 hours count from the lease. */
export async function storeLeasedResponse(
  em: EntityManager,
  keyRing: KeyRing,
  lease: Lease,
  response: StoredResponse,
): Promise<void> {
  await tablesOf(em)
    .updateTable('idempotency')
    .set({
      http_status: response.code,
      response_enc: seal(keyRing, lease, response),
      lease_until: null,
    })
    .where((row) => row.and({ ...identity(lease), http_status: null }))
    .where('lease_until', '=', endOf(lease))
    .execute();
}

const seal = (keyRing: KeyRing, key: IdempotentRequest, { body }: StoredResponse): Buffer =>
  keyRing.encrypt(deflateRawSync(Buffer.from(body, 'utf8'), { level: 1 }), contextOf(key));

const partitionOf = (slot: number) => sql.table(`idempotency_${String(slot)}`);

const isOneOf = (requests: readonly IdempotentRequest[]) =>
  sql<boolean>`key_hash = any(${requests.map(({ keyHash }) => keyHash)}::bytea[])`;

const rowsOfKeys = (em: EntityManager, owner: IdempotentRequest, requests: readonly IdempotentRequest[]) =>
  tablesOf(em)
    .deleteFrom('idempotency')
    .where((row) => row.and(ownerColumns(owner)))
    .where(isOneOf(requests));

const endOf = ({ until }: Lease) => sql<Date>`${until}::timestamptz`;

const ownerColumns = ({ scope }: IdempotentRequest) => ({
  scope: scopeNumbers[scope.kind],
  scope_id: scope.ownerId,
});

const identity = (request: IdempotentRequest) => ({ ...ownerColumns(request), key_hash: request.keyHash });

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
