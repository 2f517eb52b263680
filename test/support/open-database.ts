import { afterAll } from '@jest/globals';
import { openDatabase, type DatabaseOptions } from '../../platform/database/open-database.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { aDatabase, type TestDatabase } from './database.ts';
import { statementNames } from './pooler.ts';

/** A database for one test file, opened like the product's. Both are removed after the file. */
export async function anOpenDatabase(
  options: Partial<Omit<DatabaseOptions, 'url'>> = {},
): Promise<{ readonly database: TestDatabase; readonly orm: Orm }> {
  const database = await aDatabase();
  const opened = openDatabase({
    url: database.url,
    poolSize: 1,
    statementTimeoutMs: 30_000,
    plansOnce: false,
    statementNames,
    entities: [],
    ...options,
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
  });
  return { database, orm: opened.orm };
}
