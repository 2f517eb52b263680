import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';

/** Requests of a key at one process since its last exchange. */
export interface ReportedRequests {
  /** Surrogate key. */
  readonly tenantId: string;
  /** The key's limit. */
  readonly perSecond: number;
  readonly burst: number;
  readonly admitted: number;
  /** Admitted and rejected requests. */
  readonly received: number;
}

const BucketRow = z.strictObject({ tenantId: z.string(), level: z.number(), received: z.number() });
/**
 * A key's bucket after a report. `level`: its tokens, before requests that other processes have not reported yet, with
 * room for the tokens of one more second. `received`: all reported requests.
 */
export type ExchangedBucket = z.infer<typeof BucketRow>;

/**
 * Subtracts the admitted requests of one process from the buckets of their keys, by PostgreSQL's clock, and returns the
 * buckets. One statement serves any number of keys. Rows are locked in key order, so that processes do not deadlock.
 */
export async function exchangeRequests(
  em: EntityManager,
  reports: readonly ReportedRequests[],
): Promise<ExchangedBucket[]> {
  // Reports are up to 1 s late, and a full bucket admits the requests of that second.
  const room = sql`(excluded.burst + excluded.per_second)`;
  const seconds = sql`extract(epoch from greatest(excluded.filled_at, b.filled_at) - b.filled_at)`;
  // Concurrent statements are some milliseconds apart. A larger difference is a clock that stepped back.
  const filledAt = sql`case when b.filled_at > excluded.filled_at + interval '5 seconds' then excluded.filled_at
    else greatest(excluded.filled_at, b.filled_at) end`;
  const filled = sql`least(${room}, b.level + excluded.per_second * ${seconds})`;
  return rowsOf(
    em,
    BucketRow,
    sql`insert into request_bucket as b (api_key_id, per_second, burst, level, requests, filled_at)
    select u.api_key_id, u.per_second, u.burst, u.burst + u.per_second - u.admitted, u.received, clock_timestamp()
    from unnest(${reports.map(({ tenantId }) => tenantId)}::bigint[],
      ${reports.map(({ perSecond }) => perSecond)}::int[], ${reports.map(({ burst }) => burst)}::int[],
      ${reports.map(({ admitted }) => admitted)}::int[], ${reports.map(({ received }) => received)}::int[])
      as u (api_key_id, per_second, burst, admitted, received)
    where exists (select from api_key k where k.id = u.api_key_id and k.deleted_at is null)
    order by u.api_key_id
    on conflict (api_key_id) do update set per_second = excluded.per_second, burst = excluded.burst,
      level = greatest(-${room}, ${filled} - (${room} - excluded.level)),
      requests = b.requests + excluded.requests, filled_at = ${filledAt}
    returning api_key_id::text as "tenantId", level, requests::float8 as received`,
  );
}
