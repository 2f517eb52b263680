import { beforeEach, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { withTranslatedErrors } from '../../../activities/translate-errors.ts';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction, type EntityManager } from '../../../platform/database/orm.ts';
import { retryConflicts } from '../../../platform/database/retry-conflicts.ts';
import { kyselyOf } from '../../../platform/database/statements.ts';
import { createLogger } from '../../../platform/logging/logger.ts';
import { anOpenDatabase } from '../../support/open-database.ts';

const { database, orm } = await anOpenDatabase({ entities: [] });
await database.sql('create table written (by text primary key)');
// Counts attempts, because a rollback does not reset a sequence.
await database.sql('create sequence tried');
await database.sql(`create function fail(first_attempts int, code text) returns void language plpgsql as
  'begin if nextval(''tried'') <= first_attempts then raise exception using errcode = code; end if; end'`);
beforeEach(async () => {
  await database.sql('truncate written');
  await database.sql('alter sequence tried restart');
});

const attempts = async () => (await database.sql('select last_value::int as count from tried'))[0];

/** Writes a row, and fails in the first attempts. */
const act = (failures: number, code: string) => async () =>
  inTransaction(orm, async (em: EntityManager) => {
    await sql`insert into written values ('it')`.execute(kyselyOf(em));
    await sql`select fail(${failures}::int, ${code})`.execute(kyselyOf(em));
  });

describe('a transaction that conflicts with another', () => {
  it.each(['40001', '40P01', '26000'])('is retried after %s and written once', async (code) => {
    await retryConflicts(act(4, code));
    expect(await attempts()).toEqual({ count: 5 });
    expect(await database.sql('select by from written')).toEqual([{ by: 'it' }]);
  });

  it('is retried after a statement whose columns have changed, in whatever language PostgreSQL reports it', async () => {
    const message = 'gecachter Plan darf den Ergebnistyp nicht ändern';
    const outdated = Object.assign(new Error(message), { code: '0A000', routine: 'RevalidateCachedQuery' });
    let failures = 0;
    await retryConflicts(async () => {
      if ((failures += 1) < 3) throw outdated;
      return act(0, '')();
    });
    expect(failures).toBe(3);
    expect(classifyDatabaseError({ code: '0A000', routine: 'ExecInitFunc' })).toBe('unexpected');
  });

  it('fails after five attempts', async () => {
    await expect(retryConflicts(act(5, '40001'))).rejects.toMatchObject({ code: '40001' });
    expect(await attempts()).toEqual({ count: 5 });
    expect(await database.sql('select by from written')).toEqual([]);
  });

  it('is not retried after another failure unless listed', async () => {
    await expect(retryConflicts(act(1, '23503'))).rejects.toMatchObject({ code: '23503' });
    await retryConflicts(act(2, '23503'), ['gone']);
    expect(await attempts()).toEqual({ count: 3 });
  });

  it('is retried as a whole activity', async () => {
    const logger = createLogger({ level: 'info', format: 'json', name: 'worker' }, () => undefined);
    await withTranslatedErrors(logger, act(2, '40P01'))({});
    expect(await attempts()).toEqual({ count: 3 });
  });
});
