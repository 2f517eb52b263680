import { expect, it } from '@jest/globals';
import { countFailures } from '../../../domain/credentials/count-failures.ts';
import { anOpenDatabase } from '../../support/open-database.ts';

const { database, orm } = await anOpenDatabase();
const windowMs = 60_000;

const counted = async (caller: string) =>
  (await countFailures(orm.em.fork(), new Map([[caller, 1]]), windowMs)).get(caller);

it('failures that were counted before the clock of PostgreSQL stepped back do not count', async () => {
  await counted('caller');
  expect(await counted('caller')).toMatchObject({ failures: 2 });
  await database.sql(`update failed_credentials set ends_at = ends_at + interval '1 hour'`);
  const { failures, endsInMs } = (await counted('caller')) ?? {};
  expect(failures).toBe(1);
  expect(endsInMs).toBeLessThanOrEqual(windowMs);
});
