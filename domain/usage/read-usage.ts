import { sql } from 'kysely';
import { z } from 'zod';
import { dayMs, hourMs } from '../../platform/units.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { usageCounters, type UsageCounter } from '../tenancy/usage.ts';
import { columnOf, counterColumns } from './usage-statements.ts';

/** The lengths of the periods in lists of usage. */
export const usagePeriods = ['hour', 'day'] as const;
export type UsagePeriod = (typeof usagePeriods)[number];

const lengthMs: Readonly<Record<UsagePeriod, number>> = { hour: hourMs, day: dayMs };

export interface UsageRange {
  readonly by: UsagePeriod;
  /** Milliseconds since the epoch. The first period contains `from`; the last one starts before `to`. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

const numbers = Object.fromEntries(usageCounters.map((counter) => [counter, z.number()]));
const UsageRow = z.strictObject({
  startsAt: z.number(),
  ...(numbers as Record<UsageCounter, z.ZodNumber>),
});
/** Usage of a period; `startsAt` in milliseconds since the epoch. */
export type Usage = z.infer<typeof UsageRow>;

/**
 * Lists a key's periods with usage, oldest first, after the period that starts at `after`. Days include the current day.
 */
export async function readUsage(
  em: EntityManager,
  tenantId: string,
  { by, from = 0, to = Number.MAX_SAFE_INTEGER }: UsageRange,
  { after, limit }: { readonly after?: number | undefined; readonly limit: number },
): Promise<Usage[]> {
  const length = lengthMs[by];
  const first = Math.max(from - (from % length), after === undefined ? 0 : after + length);
  const end = Math.ceil(to / length) * length;
  const rowsIn = (table: 'usage_hour' | 'usage_day') => sql`
    select starts_at, ${counterColumns} from ${sql.table(table)}
    where api_key_id = ${tenantId} and starts_at >= to_timestamp(${first / 1_000}::float8)
      and starts_at < to_timestamp(${end / 1_000}::float8)`;
  const rows =
    by === 'hour' ? rowsIn('usage_hour') : sql`${rowsIn('usage_day')} union all ${rowsIn('usage_hour')}`;
  const sums = usageCounters.map((counter) => sql`sum(${columnOf(counter)})::float8 as ${sql.ref(counter)}`);
  return rowsOf(
    em,
    UsageRow,
    sql`select (extract(epoch from date_trunc(${sql.lit(by)}, starts_at, 'UTC')) * 1000)::float8 as "startsAt", ${sql.join(sums)}
      from (${rows}) u group by 1 order by 1 limit ${limit}`,
  );
}
