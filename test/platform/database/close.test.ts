import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { entities } from '../../../domain/entities.ts';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { kyselyOf } from '../../../platform/database/statements.ts';
import { aDatabase } from '../../support/database.ts';
import { statementNames } from '../../support/pooler.ts';

const database = await aDatabase();
afterAll(database.drop);

describe('the close of a database', () => {
  it('ends although a connection is never returned, and reports it', async () => {
    const warnings: string[] = [];
    const opened = openDatabase({
      url: database.url,
      poolSize: 2,
      statementTimeoutMs: 200,
      plansOnce: false,
      statementNames,
      entities,
      onWarning: (message) => void warnings.push(message),
    });
    const lost = await kyselyOf(opened.orm.em.fork()).startTransaction().execute();
    await sql`select 1`.execute(lost);
    await opened.close();
    expect(warnings).toEqual(['1 database connections were not returned.']);
    await lost.rollback().execute();
  });
});
