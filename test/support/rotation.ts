import type { TestDatabase } from './database.ts';

/** Moves PostgreSQL's day of the rotating partitions. The times of rows stay. */
export const moveDays = async ({ sql }: Pick<TestDatabase, 'sql'>, days: number): Promise<unknown> =>
  sql(`create or replace function rotation_slot(at timestamptz) returns int language sql immutable
    as 'select ((floor(extract(epoch from at) / 86400)::bigint + ${String(days)}) % 3)::int'`);

/** Ages the responses of idempotency keys by a day. */
export const ageResponses = async ({ sql }: Pick<TestDatabase, 'sql'>): Promise<unknown> =>
  sql(`update idempotency set created_at = created_at - interval '1 day'`);

/** Makes each transaction write to a random partition, like processes around midnight. */
export const randomSlots = async ({ sql }: Pick<TestDatabase, 'sql'>): Promise<unknown> =>
  sql(`create or replace function rotation_slot(at timestamptz) returns int language sql volatile
    as 'select floor(random() * 3)::int'`);

/** Returns the bytes of both tables with their partitions and indexes. */
export async function partitionSizes({ sql }: Pick<TestDatabase, 'sql'>): Promise<number> {
  const [found] = await sql<{ bytes: number }>(
    `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
     where c.relname ~ '^(idempotency|provider_answer)(_\\d)?$' and c.relkind = 'r'`,
  );
  return found?.bytes ?? 0;
}
