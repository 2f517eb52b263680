import { describe, expect, it } from '@jest/globals';
import { afterCommit, forgetCommitActions, inTransaction } from '../../../platform/database/orm.ts';
import { anOpenDatabase } from '../../support/open-database.ts';
import { row, rows } from '../../support/raw-sql.ts';
import { eventually } from '../../support/eventually.ts';

const { database, orm } = await anOpenDatabase({ statementTimeoutMs: 3_000 });

const write = 'insert into signing_key (kid, purpose, key_enc) values ($1, $1, $2)';
const written = async (kid: string) =>
  (await database.sql('select from signing_key where kid = $1', [kid])).length === 1;
const cutOff = async () =>
  database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'steward' and datname = current_database()`);

describe('a transaction', () => {
  it('is rolled back by an error in a statement, and its connection stays usable', async () => {
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

  it('is rolled back by an error of the caller, which is rethrown', async () => {
    const ours = new Error('ours');
    const failing = inTransaction(orm, async (em) => {
      await rows(em, write, ['of-ours', Buffer.from('x')]);
      throw ours;
    });
    await expect(failing).rejects.toBe(ours);
    expect(await written('of-ours')).toBe(false);
  });

  it('writes nothing of the statements before a failed one', async () => {
    const failing = inTransaction(orm, async (em) =>
      Promise.all([rows(em, write, ['pipelined', Buffer.from('x')]), rows(em, 'select no_such_column')]),
    );
    await expect(failing).rejects.toMatchObject({ code: '42703' });
    expect(await written('pipelined')).toBe(false);
  });

  it('runs commit actions after its commit, and none after a failure or rollback', async () => {
    const ran: string[] = [];
    await inTransaction(orm, async (em) => {
      afterCommit(em, () => ran.push('taken back'));
      forgetCommitActions(em);
      afterCommit(em, () => ran.push('committed'));
      await rows(em, write, ['committed', Buffer.from('x')]);
      expect(ran).toEqual([]);
    });
    const failing = inTransaction(orm, async (em) => {
      afterCommit(em, () => ran.push('failed'));
      await rows(em, 'select 1 / $1::int', [0]);
    });
    await expect(failing).rejects.toMatchObject({ code: '22012' });
    expect(ran).toEqual(['committed']);
    afterCommit(orm.em.fork(), () => ran.push('at once'));
    expect(ran).toEqual(['committed', 'at once']);
  });

  it('applies settings only to itself', async () => {
    const of = async (settings?: Record<string, string>) =>
      inTransaction(orm, async (em) => row(em, `select current_setting('lock_timeout') as is`), settings);
    expect([await of({ lock_timeout: '1500' }), await of()]).toEqual([{ is: '1500ms' }, { is: '0' }]);
  });

  it('does not report a commit after a failed statement', async () => {
    const acknowledged: string[] = [];
    const swallowing = inTransaction(orm, async (em) => {
      afterCommit(em, () => acknowledged.push('caught'));
      await rows(em, write, ['caught', Buffer.from('x')]);
      await rows(em, 'select 1 / $1::int', [0]).catch(() => undefined);
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await written('caught')).toBe(false);
    expect(acknowledged).toEqual([]);
  });

  it('whose connection is lost rejects and frees its connection of the pool', async () => {
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
      // The pool has one connection only.
      await eventually(() => inTransaction(orm, async (em) => row(em, 'select 1')));
    }
  });

  it('that cannot begin because its connection ended writes nothing', async () => {
    await inTransaction(orm, async (em) => row(em, 'select 1'));
    await cutOff();
    await inTransaction(orm, async (em) => {
      await rows(em, write, ['not-alone', Buffer.from('x')]);
      throw new Error('rolled back');
    }).catch(() => undefined);
    expect(await written('not-alone')).toBe(false);
  });

  it('that exceeds the statement timeout is canceled by PostgreSQL', async () => {
    await expect(inTransaction(orm, async (em) => rows(em, 'select pg_sleep(300)'))).rejects.toMatchObject({
      code: '57014',
    });
  });
});
