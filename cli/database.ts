import { entities } from '../domain/entities.ts';
import { openDatabase, type Database } from '../platform/database/open-database.ts';
import type { Orm } from '../platform/database/orm.ts';

/** Milliseconds: commands may run longer statements than requests. */
const statementTimeoutMs = 60_000;

/** Opens the database for `work`, and always closes it. Names no statement: a pooler may not track names. */
export async function withDatabase<Result>(
  url: string,
  work: (orm: Orm, database: Database) => Promise<Result>,
): Promise<Result> {
  const database = openDatabase({
    url,
    poolSize: 1,
    statementTimeoutMs,
    plansOnce: false,
    statementNames: false,
    entities,
  });
  try {
    return await work(database.orm, database);
  } finally {
    await database.close();
  }
}
