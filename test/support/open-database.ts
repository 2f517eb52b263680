import { afterAll } from '@jest/globals';
import { entities } from '../../domain/entities.ts';
import { openDatabase, type DatabaseOptions } from '../../platform/database/open-database.ts';
import type { Orm } from '../../platform/database/orm.ts';
import { aDatabase, type TestDatabase } from './database.ts';
import { statementNames } from './pooler.ts';
import { aProxyTo } from './proxy.ts';

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

/** The product's access to a database through a proxy that a test cuts or delays. `close` ends both. */
export async function openedThroughProxy({ url }: Pick<TestDatabase, 'url'>, poolSize: number) {
  const proxy = await aProxyTo(url);
  const opened = openDatabase({
    url: proxy.url,
    poolSize,
    statementTimeoutMs: 60_000,
    plansOnce: false,
    statementNames,
    entities,
  });
  return {
    proxy,
    orm: opened.orm,
    close: async (): Promise<void> => {
      await opened.close();
      await proxy.cut();
    },
  };
}
