import { entities } from '../domain/entities.ts';
import { openDatabase } from '../platform/database/open-database.ts';
import type { Orm } from '../platform/database/orm.ts';

/** A command waits longer than a request may. */
const statementTimeout = 60_000;

/** Opens the database for one piece of work, and closes it whatever came of that. */
export async function withDatabase<Result>(
  url: string,
  work: (orm: Orm) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({ url, poolSize: 1, statementTimeout, plansOnce: false, entities });
  try {
    return await work(database.orm);
  } finally {
    await database.close();
  }
}
