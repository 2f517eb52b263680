import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { isSameRequest, type IdempotentRequest } from './idempotent-request.ts';
import { deletionOfKeys, isOneOf, lockNumber, ownerColumns, type ClaimedKey } from './key-rows.ts';
import { inlineBody, maxInlineBytes, type StoredResponse } from './stored-responses.ts';

/** What a call with a key does: run, wait for another one, be refused, or return the stored response. */
export type Claim =
  | { readonly state: 'fresh'; readonly key: ClaimedKey }
  | { readonly state: 'running' }
  | { readonly state: 'other-request' }
  | { readonly state: 'replay'; readonly response: StoredResponse }
  /** The response is larger than `maxInlineBytes`: `readStoredResponse` reads it. */
  | { readonly state: 'large-replay'; readonly key: ClaimedKey; readonly code: number };

/** Retention of stored responses. */
const idempotencyHours = 24;

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
    onlyRowOf(
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
  if (replaced.length > 0) await deletionOfKeys(em, first, replaced).execute();
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
