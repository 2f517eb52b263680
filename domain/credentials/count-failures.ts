import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { batchDeletion } from '../delete-batch.ts';

/** Max rows that one call deletes: more than an attack adds in the 15 s between two calls. */
const maxExpired = 50_000;

/** The failures of one caller that all processes have counted, and the milliseconds until the count ends. */
export interface CountedFailures {
  readonly failures: number;
  readonly endsInMs: number;
}

const FailuresRow = z.strictObject({ caller: z.string(), failures: z.number(), endsInMs: z.number() });

const hashOf = (caller: string): string => createHash('sha256').update(caller).digest('hex');

/**
 * Adds failures of any number of callers in one statement and returns their counts, which end `windowMs` after the first
 * failure. Rows are locked in the order of their keys, so that processes do not deadlock.
 */
export async function countFailures(
  em: EntityManager,
  failures: ReadonlyMap<string, number>,
  windowMs: number,
): Promise<ReadonlyMap<string, CountedFailures>> {
  const callers = new Map([...failures.keys()].map((caller) => [hashOf(caller), caller]));
  // Concurrent statements are some milliseconds apart. A later end is of a clock that stepped back.
  const ended = sql`(f.ends_at <= now() or f.ends_at > excluded.ends_at + interval '5 seconds')`;
  const counted = await rowsOf(
    em,
    FailuresRow,
    sql`insert into failed_credentials as f (caller, failures, ends_at)
    select decode(u.caller, 'hex'), u.failures, now() + ${windowMs}::float8 * interval '1 millisecond'
    from unnest(${[...callers.keys()]}::text[], ${[...failures.values()]}::int[]) as u (caller, failures)
    order by u.caller
    on conflict (caller) do update set
      failures = case when ${ended} then 0 else f.failures end + excluded.failures,
      ends_at = case when ${ended} then excluded.ends_at else f.ends_at end
    returning encode(f.caller, 'hex') as caller, f.failures,
      (extract(epoch from f.ends_at - now()) * 1000)::float8 as "endsInMs"`,
  );
  return new Map(counted.map(({ caller, ...count }) => [callers.get(caller) ?? '', count]));
}

/** Deletes up to 50,000 expired counts. Returns whether it deleted as many. */
export const deleteEndedFailures = batchDeletion({
  table: 'failed_credentials',
  where: sql`ends_at < now()`,
  orderBy: 'ends_at',
  max: maxExpired,
});
