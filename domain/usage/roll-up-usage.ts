import { sql } from 'kysely';
import { dayMs, hourMs } from '../../platform/units.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy } from '../../platform/database/statements.ts';
import { deletionOf } from '../delete-batch.ts';
import { usageCounters } from '../tenancy/usage.ts';
import { tablesOf } from '../tables.ts';
import { addingTo, columnOf, counterColumns, keptDays, keptHours } from './usage-statements.ts';

/**
 * Adds hours older than 48 hours to their days (UTC) and deletes days older than 400 days. The next call processes rows
 * beyond the max of one statement. `now` in milliseconds.
 */
export async function rollUpUsage(em: EntityManager, now: number): Promise<void> {
  const sums = sql.join(usageCounters.map((counter) => sql`sum(${columnOf(counter)})::bigint`));
  const endedHours = before(now - (now % hourMs) - keptHours * hourMs);
  await sql`with ended as (
      ${deletionOf({ table: 'usage_hour', where: endedHours, orderBy: 'starts_at' })} returning *)
    insert into usage_day (api_key_id, starts_at, ${counterColumns})
    select api_key_id, date_trunc('day', starts_at, 'UTC'), ${sums} from ended group by 1, 2 order by 1, 2
    ${addingTo('usage_day')}`.execute(tablesOf(em));
  const expiredDays = before(now - (now % dayMs) - keptDays * dayMs);
  await changedBy(em, deletionOf({ table: 'usage_day', where: expiredDays, orderBy: 'starts_at' }));
}

const before = (moment: number) => sql`starts_at < to_timestamp(${moment / 1_000}::float8)`;
