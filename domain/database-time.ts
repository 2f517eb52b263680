import { sql } from 'kysely';
import { z } from 'zod';
import type { Orm } from '../platform/database/orm.ts';
import { onlyRowOf } from '../platform/database/statements.ts';

const TimeRow = z.strictObject({ ms: z.number() });

/** PostgreSQL's time, in milliseconds since the epoch. What is deleted by age must not depend on a worker's clock. */
export async function databaseTime(orm: Orm): Promise<number> {
  const { ms } = await onlyRowOf(
    orm.em.fork(),
    TimeRow,
    sql`select (extract(epoch from now()) * 1000)::float8 as ms`,
  );
  return ms;
}
