import { sql, type RawBuilder } from 'kysely';

/** SQL: whether the key `k` is active: neither it nor its workspace is disabled, and it is not deleted. */
export const isActive = sql<boolean>`(k.disabled_at is null and k.workspace_disabled_at is null and k.deleted_at is null)`;

/** SQL: whether the key with this surrogate key is active. */
export const isActiveKey = (id: RawBuilder<unknown> | string): RawBuilder<boolean> =>
  sql<boolean>`exists (select from api_key k where k.id = ${id} and ${isActive})`;
