import { afterAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { aDatabase } from '../../support/database.ts';
import { row } from '../../support/raw-sql.ts';

const database = await aDatabase();
const opened = openDatabase({
  url: database.directUrl,
  poolSize: 1,
  statementTimeoutMs: 10_000,
  plansOnce: true,
  entities: [],
  onMissingSettings: () => undefined,
});
afterAll(async () => {
  await opened.close();
  await database.drop();
});

it('executions are not compiled, whatever the plan costs', async () => {
  expect(await row(opened.orm.em.fork(), `select current_setting('jit') as jit`, [])).toEqual({ jit: 'off' });
});
