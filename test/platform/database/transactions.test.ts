import { describe, expect, it } from '@jest/globals';
import { afterCommit, inTransaction, leaveToCommit } from '../../../platform/database/orm.ts';
import { row, rows } from '../../../platform/database/sql.ts';
import { anOpenDatabase } from '../../support/open-database.ts';
import { eventually } from '../../support/eventually.ts';

const { database, orm } = await anOpenDatabase();

const write = 'insert into signing_key (kid, purpose, key_enc) values ($1, $1, $2)';
const written = async (kid: string) =>
  (await database.sql('select from signing_key where kid = $1', [kid])).length === 1;
const cutOff = async () =>
  database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'steward' and datname = current_database()`);

describe('a transaction', () => {
  it('is rolled back by an error in a statement, and its connection goes on', async () => {
    await expect(
      inTransaction(orm, async (em) => {
        await rows(em, write, ['of-an-error', Buffer.from('x')]);
        await rows(em, 'select 1 / 0');
      }),
    ).rejects.toMatchObject({ code: '22012' });
    expect(await written('of-an-error')).toBe(false);
    await inTransaction(orm, async (em) => rows(em, write, ['after-it', Buffer.from('x')]));
    expect(await written('after-it')).toBe(true);
  });

  it('is rolled back by an error of ours, which is the one that is told', async () => {
    const ours = new Error('ours');
    const failing = inTransaction(orm, async (em) => {
      await rows(em, write, ['of-ours', Buffer.from('x')]);
      throw ours;
    });
    await expect(failing).rejects.toBe(ours);
    expect(await written('of-ours')).toBe(false);
  });

  it('begins with its first statement: what comes before a failing one is not written', async () => {
    const failing = inTransaction(orm, async (em) =>
      Promise.all([rows(em, write, ['pipelined', Buffer.from('x')]), rows(em, 'select no_such_column')]),
    );
    await expect(failing).rejects.toMatchObject({ code: '42703' });
    expect(await written('pipelined')).toBe(false);
  });

  it('that leaves a statement to its commit is committed with it, and then only runs what waits for the commit', async () => {
    const order: string[] = [];
    await inTransaction(orm, async (em) => {
      afterCommit(em, () => order.push('after the commit'));
      leaveToCommit(
        em,
        rows(em, write, ['left', Buffer.from('x')]).then(() => order.push('written')),
      );
    });
    expect(order).toEqual(['written', 'after the commit']);
    expect(await written('left')).toBe(true);
  });

  it('fails as what it left to its commit does, whatever failed for its sake, and writes nothing', async () => {
    const committed: string[] = [];
    for (const then of ['nothing', 'another statement', 'an error of ours']) {
      const failing = inTransaction(orm, async (em) => {
        afterCommit(em, () => committed.push(then));
        await rows(em, write, ['before-it', Buffer.from('x')]);
        leaveToCommit(em, rows(em, 'select 1 / $1::int', [0]));
        if (then === 'another statement') await rows(em, 'select $1::int', [1]);
        if (then === 'an error of ours') throw new Error('ours, when the statement had not been answered');
      });
      await expect(failing).rejects.toMatchObject({ code: '22012' });
    }
    expect(committed).toEqual([]);
    expect(await written('before-it')).toBe(false);
    expect(await inTransaction(orm, async (em) => row(em, 'select 1 as one'))).toEqual({ one: 1 });
  });

  it('does not say that it is committed when a failed statement had ended it', async () => {
    const swallowing = inTransaction(orm, async (em) => {
      await rows(em, write, ['swallowed', Buffer.from('x')]);
      await rows(em, 'select 1 / $1::int', [0]).catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await written('swallowed')).toBe(false);
  });

  it('whose connection is lost tells it, and gives the connection’s place back, however often', async () => {
    for (const when of ['before the statement', 'under the statement', 'before the commit']) {
      const kid = when.replaceAll(' ', '-');
      const failing = inTransaction(orm, async (em) => {
        await rows(em, 'select 1');
        if (when === 'before the statement') await cutOff();
        if (when === 'under the statement') {
          await Promise.all([rows(em, 'select pg_sleep(0.9)'), cutOff()]);
        }
        await rows(em, write, [kid, Buffer.from('x')]);
        if (when === 'before the commit') await cutOff();
      });
      await expect(failing).rejects.toThrow();
      expect(await written(kid)).toBe(false);
      // The pool has one place only.
      await eventually(() => inTransaction(orm, async (em) => row(em, 'select 1')));
    }
  });

  it('that cannot begin because the connection has just ended writes nothing outside a transaction', async () => {
    await inTransaction(orm, async (em) => row(em, 'select 1'));
    await cutOff();
    await inTransaction(orm, async (em) => {
      await rows(em, write, ['not-alone', Buffer.from('x')]);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(await written('not-alone')).toBe(false);
  });

  it('that takes longer than a statement may is given up by PostgreSQL', async () => {
    const started = performance.now();
    await expect(inTransaction(orm, async (em) => rows(em, 'select pg_sleep(30)'))).rejects.toMatchObject({
      code: '57014',
    });
    expect(performance.now() - started).toBeLessThan(4_000);
  });
});
