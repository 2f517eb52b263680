import type { TestDatabase } from './database.ts';
import { eventually } from './eventually.ts';

/** Returns as soon as a transaction of the database waits for a lock, or `call` has ended. Returns whether one waits. */
export async function waitsForLock(
  database: Pick<TestDatabase, 'sql'>,
  call: Promise<unknown>,
): Promise<boolean> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  call.then(end, end);
  const { waits } = await eventually(async () => {
    const waiting = await database.sql(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return waiting.length > 0 ? { waits: true } : over && { waits: false };
  });
  return waits;
}
