import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { onlyRowOf } from '../../platform/database/statements.ts';
import type { KeyRing } from '../../platform/encryption/key-ring.ts';
import { tablesOf } from '../tables.ts';
import { scopeNumbers } from './idempotency.entity.ts';
import { deletionOfKeys, identity, lockNumber, partitionOf, type ClaimedKey } from './key-rows.ts';
import { sealResponse, type StoredResponse } from './stored-responses.ts';

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
  const { until } = await onlyRowOf(
    em,
    LeaseRow,
    sql`insert into ${partitionOf(key.slot)} (scope, scope_id, key_hash, request_hash, lease_until)
      values (${scopeNumbers[key.scope.kind]}, ${key.scope.ownerId}, ${key.keyHash}, ${key.requestHash}, now() + ${durationMs} * interval '1 millisecond') returning lease_until::text as until`,
  );
  return { ...key, until };
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
  await deletionOfKeys(em, lease, [lease])
    .where('http_status', 'is', null)
    .where('lease_until', '=', endOf(lease))
    .execute();
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
      response_enc: sealResponse(keyRing, lease, response),
      lease_until: null,
    })
    .where((row) => row.and({ ...identity(lease), http_status: null }))
    .where('lease_until', '=', endOf(lease))
    .execute();
}

const endOf = ({ until }: Lease) => sql<Date>`${until}::timestamptz`;
