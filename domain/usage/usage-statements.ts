import { sql, type RawBuilder } from 'kysely';
import { usageCounters, type UsageCounter } from '../tenancy/usage.ts';

/** Hours and days for which rows are kept. */
export const keptHours = 48;
export const keptDays = 400;

/** The column of a counter, in both tables. */
export const columnOf = (counter: UsageCounter): RawBuilder<unknown> =>
  sql.ref(counter.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));

/** SQL: the columns of all counters. */
export const counterColumns = sql.join(usageCounters.map(columnOf));

/** SQL: adds the values of an insert to existing rows of the same key and period. */
export const addingTo = (table: 'usage_hour' | 'usage_day') => sql`
  on conflict (api_key_id, starts_at) do update set ${sql.join(
    usageCounters.map((counter) => {
      const column = columnOf(counter);
      return sql`${column} = ${sql.ref(table)}.${column} + excluded.${column}`;
    }),
  )}`;
