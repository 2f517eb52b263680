import { afterAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../platform/database/open-database.ts';
import { inIndexOrder, readByIndex } from '../../../platform/database/planner.ts';
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

it.each([
  ['of a read by index', undefined],
  ['of a read in index order', inIndexOrder],
])('executions %s are not compiled, whatever the plan costs', async (_, settings) => {
  const found = await readByIndex(
    opened.orm.em.fork(),
    async (em) => row(em, `select current_setting('jit') as jit, $1::text as sent`, ['a']),
    settings,
  );
  expect(found).toEqual({ jit: 'off', sent: 'a' });
});
