import { sql, type RawBuilder } from 'kysely';

/** SQL: whether the key `k` is active: neither it nor its workspace is disabled, and it is not deleted. */
export const isActive = sql<boolean>`(k.disabled_at is null and k.workspace_disabled_at is null and k.deleted_at is null)`;

/**
 * SQL: whether the key with this surrogate key is active. Looks up each key by its index, because PostgreSQL may turn
 * `exists` into a join or a hash that reads all keys.
 */
export const isActiveKey = (id: RawBuilder<unknown> | string): RawBuilder<boolean> =>
  sql<boolean>`coalesce((select ${isActive} from api_key k where k.id = ${id}), false)`;

/** SQL: whether the work of the key with this surrogate key waits until its key or workspace is enabled. */
export const isSuspendedKey = (id: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`coalesce((select true from api_key k where k.id = ${id} and k.deleted_at is null and not ${isActive}), false)`;
