import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';

/** Max events that are counted for a key. */
export const maxCountedEvents = 10_000;

const OutboxRow = z.strictObject({
  /** Surrogate key of the API key. */
  id: z.string(),
  key_id: z.string(),
  events: z.number(),
  oldest_at: z.date(),
  age_ms: z.number(),
});
export type OutboxRow = z.infer<typeof OutboxRow>;

/** Reads the undispatched events of each key that has any, in the order of keys. */
export async function readOutbox(
  em: EntityManager,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<OutboxRow[]> {
  // One index probe per key: each oldest row leads to the next key.
  return rowsOf(
    em,
    OutboxRow,
    sql`with recursive oldest as (
        (select api_key_id, event_at from outbox where api_key_id > ${after ?? '0'} order by api_key_id, event_id limit 1)
        union all
        select n.api_key_id, n.event_at from oldest o cross join lateral (
          select x.api_key_id, x.event_at from outbox x where x.api_key_id > o.api_key_id
          order by x.api_key_id, x.event_id limit 1) n),
      listed as materialized (select * from oldest limit ${limit})
      select o.api_key_id as id, (select k.public_id from api_key k where k.id = o.api_key_id) as key_id,
        (select count(*)::int from (
          select from outbox x where x.api_key_id = o.api_key_id limit ${sql.lit(maxCountedEvents)}) x) as events,
        o.event_at as oldest_at, greatest(0, extract(epoch from now() - o.event_at) * 1000)::float8 as age_ms
      from listed o`,
  );
}
