import { sql } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { usageCounters, type UsageCounter } from '../tenancy/usage.ts';
import { tablesOf } from '../tables.ts';
import { addingTo, counterColumns } from './usage-statements.ts';

/** Usage of one key in one hour at one process. */
export interface CountedUsage {
  /** Surrogate key. */
  readonly tenantId: string;
  /** Start of the hour, in milliseconds since the epoch. */
  readonly startsAt: number;
  readonly counts: Readonly<Record<UsageCounter, number>>;
}

/**
 * Adds usage of any number of keys in one statement, except of deleted keys. Writes rows in key order, so that processes
 * do not deadlock.
 */
export async function addUsage(em: EntityManager, usage: readonly CountedUsage[]): Promise<void> {
  const counts = usageCounters.map(
    (counter) => sql`${usage.map((counted) => counted.counts[counter])}::bigint[]`,
  );
  await sql`insert into usage_hour (api_key_id, starts_at, ${counterColumns})
    select u.api_key_id, to_timestamp(u.starts_at / 1000), ${counterColumns}
    from unnest(${usage.map(({ tenantId }) => tenantId)}::bigint[], ${usage.map(({ startsAt }) => startsAt)}::float8[],
      ${sql.join(counts)}) as u (api_key_id, starts_at, ${counterColumns})
    where exists (select from api_key k where k.id = u.api_key_id and k.deleted_at is null)
    order by u.api_key_id, u.starts_at ${addingTo('usage_hour')}`.execute(tablesOf(em));
}
