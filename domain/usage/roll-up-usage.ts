import { sql } from 'kysely';
import { z } from 'zod';
import { dayMs, hourMs } from '../../platform/units.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { changedBy, onlyRowOf } from '../../platform/database/statements.ts';
import { deletionOf } from '../delete-batch.ts';
import { usageCounters } from '../tenancy/usage.ts';
import { addingTo, columnOf, counterColumns, keptDays, keptHours } from './usage-statements.ts';

/* Each function processes one batch and returns whether more rows may follow. `now` in milliseconds. */

/** Max rows per statement. */
const maxRows = 5_000;

const RolledUpRow = z.strictObject({ hours: z.number() });

/** Adds hours older than 48 hours to their days (UTC), and deletes them. */
export async function rollUpHours(em: EntityManager, now: number): Promise<boolean> {
  const sums = sql.join(usageCounters.map((counter) => sql`sum(${columnOf(counter)})::bigint`));
  const endedHours = before(now - (now % hourMs) - keptHours * hourMs);
  const { hours } = await onlyRowOf(
    em,
    RolledUpRow,
    sql`with ended as (
        ${deletionOf({ table: 'usage_hour', where: endedHours, orderBy: 'starts_at', max: maxRows })} returning *),
      added as (
        insert into usage_day (api_key_id, starts_at, ${counterColumns})
        select api_key_id, date_trunc('day', starts_at, 'UTC'), ${sums} from ended group by 1, 2 order by 1, 2
        ${addingTo('usage_day')})
      select count(*)::integer as hours from ended`,
  );
  return hours === maxRows;
}

/** Deletes days older than 400 days. */
export async function deleteExpiredDays(em: EntityManager, now: number): Promise<boolean> {
  const expiredDays = before(now - (now % dayMs) - keptDays * dayMs);
  const rows = { table: 'usage_day', where: expiredDays, orderBy: 'starts_at', max: maxRows };
  return (await changedBy(em, deletionOf(rows))) === maxRows;
}

const before = (moment: number) => sql`starts_at < to_timestamp(${moment / 1_000}::float8)`;
