import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { tablesOf } from '../tables.ts';
import { scopeNumbers } from './idempotency.entity.ts';
import type { IdempotentRequest } from './idempotent-request.ts';

/** A key that the transaction has claimed and that has no stored response. */
export interface ClaimedKey extends IdempotentRequest {
  /** Number of the partition for PostgreSQL's current day. It is emptied 24 hours after the end of the day. */
  readonly slot: number;
}

/** The partition of a slot. Reads name the table instead: a key may be in that of another day. */
export const partitionOf = (slot: number) => sql.table(`idempotency_${String(slot)}`);

/** The columns of the owner, which every statement names. */
export const ownerColumns = ({ scope }: IdempotentRequest) => ({
  scope: scopeNumbers[scope.kind],
  scope_id: scope.ownerId,
});

/** The primary key, without the slot. */
export const identity = (request: IdempotentRequest) => ({
  ...ownerColumns(request),
  key_hash: request.keyHash,
});

/** SQL: whether a row's key is among those of requests of its owner. */
export const isOneOf = (requests: readonly IdempotentRequest[]) =>
  sql<boolean>`key_hash = any(${requests.map(({ keyHash }) => keyHash)}::bytea[])`;

/** Deletes rows of keys of one owner. */
export const deletionOfKeys = (
  em: EntityManager,
  owner: IdempotentRequest,
  requests: readonly IdempotentRequest[],
) =>
  tablesOf(em)
    .deleteFrom('idempotency')
    .where((row) => row.and(ownerColumns(owner)))
    .where(isOneOf(requests));

/** The number of a key's advisory lock. */
export function lockNumber({ scope, keyHash }: IdempotentRequest): string {
  return createHash('sha256')
    .update(`${scope.kind}/${scope.ownerId}/`)
    .update(keyHash)
    .digest()
    .readBigInt64BE()
    .toString();
}
