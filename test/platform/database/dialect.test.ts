import { describe, expect, it } from '@jest/globals';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { anOpenDatabase } from '../../support/open-database.ts';
import { statementNames } from '../../support/pooler.ts';
import { lookupRow, row, rows } from '../../support/raw-sql.ts';

const { database, orm } = await anOpenDatabase({ poolSize: 1 });
await database.sql('create table grown (id bigint primary key)');
await database.sql('insert into grown values (1)');

const every = 'select * from grown where id = $1';
let columns = 0;
const grow = async () => database.sql(`alter table grown add column c${String((columns += 1))} text`);
const connections = async () =>
  database.sql<{ count: number }>(`select count(*)::int as count from pg_stat_activity
    where application_name = 'steward' and datname = current_database()`);

describe('a statement whose columns a migration has changed', () => {
  it('is prepared again and executed outside a transaction', async () => {
    for (const read of [row, lookupRow]) {
      await read(orm.em.fork(), every, [1]);
      await grow();
      expect(await read(orm.em.fork(), every, [1])).toMatchObject({ id: '1', [`c${String(columns)}`]: null });
    }
    expect(await connections()).toEqual([{ count: 1 }]);
  });

  it('is executed when many were pipelined, within the pool size', async () => {
    await lookupRow(orm.em.fork(), every, [1]);
    await grow();
    const together = Array.from({ length: 8 }, async (_, n) => lookupRow(orm.em.fork(), every, [n]));
    const read = (await Promise.allSettled(together)).map(({ status }) => status);
    expect(read).toEqual(together.map(() => 'fulfilled'));
    expect(await lookupRow(orm.em.fork(), every, [1])).toMatchObject({ id: '1' });
    expect(await connections()).toEqual([{ count: 1 }]);
  });

  // Without names, each execution prepares its statement.
  (statementNames ? it : it.skip)(
    'fails as a retryable conflict within a transaction, whose retry succeeds',
    async () => {
      const read = async () =>
        inTransaction(orm, async (em) => {
          await rows(em, 'select 1');
          return row(em, every, [1]);
        });
      await read();
      await grow();
      const failure: unknown = await read().catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: '0A000' });
      expect(classifyDatabaseError(failure)).toBe('conflict');
      expect(await read()).toMatchObject({ id: '1' });
    },
  );

  it('is executed when a pooler has dropped the prepared statement', async () => {
    await row(orm.em.fork(), every, [1]);
    await rows(orm.em.fork(), 'deallocate all');
    expect(await row(orm.em.fork(), every, [1])).toMatchObject({ id: '1' });
  });
});

describe('a connection', () => {
  it('that the server drops while idle is replaced', async () => {
    await row(orm.em.fork(), 'select 1');
    await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'steward' and datname = current_database()`);
    await eventually(async () => row(orm.em.fork(), 'select 1'));
  });

  it('is returned to the pool when its rollback fails', async () => {
    const failing = inTransaction(orm, async (em) => {
      await row(em, 'select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
      throw new Error('ours');
    });
    await expect(failing).rejects.toThrow('ours');
    expect(await row(orm.em.fork(), 'select $1::int as is', [2])).toEqual({ is: 2 });
  });

  it('does not prepare more statements than the max names', async () => {
    for (let n = 0; n < 520; n += 1) await row(orm.em.fork(), `select $1::int as n${String(n)}`, [n]);
    const [prepared] = await rows<{ count: number }>(
      orm.em.fork(),
      'select count(*)::int as count from pg_prepared_statements',
    );
    expect(prepared?.count).toBeLessThanOrEqual(500);
    expect(await row(orm.em.fork(), 'select $1::int as n519', [7])).toEqual({ n519: 7 });
  });
});
