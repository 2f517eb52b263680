import { describe, expect, it } from '@jest/globals';
import { classifyDatabaseError } from '../../../platform/database/failures.ts';
import { inTransaction } from '../../../platform/database/orm.ts';
import { eventually } from '../../support/eventually.ts';
import { anOpenDatabase } from '../../support/open-database.ts';
import { lookupRow, row, rows } from '../../support/raw-sql.ts';
import { stall } from '../../support/stall.ts';

// Longer than the statement that the last test ends.
const { database, orm } = await anOpenDatabase({ statementTimeoutMs: 600_000 });

const write = 'insert into signing_key (kid, purpose, key_enc) values ($1, $1, $2)';
const writing = (kid: string) => [kid, Buffer.from('x')];
const written = async (kid: string) =>
  (await database.sql('select from signing_key where kid = $1', [kid])).length === 1;
const works = async () => eventually(() => inTransaction(orm, async (em) => row(em, 'select 1')));
const endIdleSoon = `select set_config('idle_in_transaction_session_timeout', '100', true)`;

/** The result that a caller of the transaction gets. */
async function failureOf(failing: Promise<unknown>): Promise<string> {
  try {
    await failing;
    return 'none';
  } catch (error) {
    return classifyDatabaseError(error);
  }
}

describe('a transaction that PostgreSQL ended because the event loop stalled', () => {
  const next: [string, (em: Parameters<Parameters<typeof inTransaction>[1]>[0], kid: string) => unknown][] = [
    ['a write', async (em, kid) => rows(em, write, writing(kid))],
    ['a write without parameters', async (em) => rows(em, 'delete from signing_key')],
    ['a savepoint', async (em) => rows(em, 'savepoint act')],
    ['the commit', () => undefined],
    [
      'a write after a caught failure',
      async (em, kid) => {
        await rows(em, write, writing(kid)).catch(() => undefined);
        await rows(em, write, writing(kid));
      },
    ],
  ];

  it.each(next)(
    'fails as unavailable, writes nothing and loses its connection when the next step is %s',
    async (what, act) => {
      const kid = `stalled before ${what}`;
      const failing = inTransaction(orm, async (em) => {
        await rows(em, endIdleSoon);
        await rows(em, write, writing(`${kid}, first`));
        stall(500);
        await act(em, kid);
      });
      expect(await failureOf(failing)).toBe('unavailable');
      await works();
      expect([await written(kid), await written(`${kid}, first`)]).toEqual([false, false]);
    },
  );
});

describe('a session that left its transaction', () => {
  it.each(['end', 'abort'])('runs no statement after %s and does not report a commit', async (end) => {
    const kid = `behind ${end}`;
    const failing = inTransaction(orm, async (em) => {
      await rows(em, 'select 1');
      // Like a pooler that has given the client another session.
      await rows(em, end);
      await rows(em, write, writing(kid));
    });
    expect(await failureOf(failing)).toBe('unavailable');
    const atCommit = inTransaction(orm, async (em) => {
      await rows(em, 'select 1');
      await rows(em, end);
    });
    expect(await failureOf(atCommit)).toBe('unavailable');
    expect(await written(kid)).toBe(false);
    await works();
  });
});

describe('a lookup on a shared connection', () => {
  it('fails as unavailable when PostgreSQL ends its connection, and the next lookup succeeds', async () => {
    const em = orm.em.fork();
    const failing = failureOf(lookupRow(em, 'select pg_sleep($1::float)', ['300']));
    await eventually(async () => {
      const ended = await database.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and query like 'select pg_sleep(%' and pid <> pg_backend_pid()`);
      return ended.length > 0;
    });
    expect(await failing).toBe('unavailable');
    expect(await lookupRow(em, 'select $1::text as text', ['here'])).toEqual({ text: 'here' });
  });
});

describe('a database error', () => {
  it.each([
    ['25P03', { code: '25P03' }],
    ['25P04', { code: '25P04' }],
    ['25P01', { code: '25P01' }],
    ['57P01', { code: '57P01' }],
    ['57P05', { code: '57P05' }],
    ['an unknown role', { code: '28000' }],
    ['a wrong password', { code: '28P01' }],
    ['an unknown database', { code: '3D000' }],
    ['08006', { code: '08006' }],
    ['ECONNRESET', { code: 'ECONNRESET' }],
    ['EPIPE', { code: 'EPIPE' }],
    ['ERR_STREAM_DESTROYED', { code: 'ERR_STREAM_DESTROYED' }],
    ['an ended connection', { message: 'Connection terminated unexpectedly' }],
    ['a closed client', { message: 'Client was closed and is not queryable' }],
    ['a broken client', { message: 'Client has encountered a connection error and is not queryable' }],
    ['a full pool', { message: 'timeout exceeded when trying to connect' }],
    ['a connection that is not made', { message: 'timeout expired' }],
    ['a statement without a response', { message: 'Query read timeout' }],
    ['a response out of turn', { message: 'Received unexpected commandComplete message from backend.' }],
    ['a pool that ends', { message: 'Cannot use a pool after calling end on the pool' }],
  ])('that ends the session is classified as unavailable: %s', (_what, error) => {
    expect(classifyDatabaseError(error)).toBe('unavailable');
    expect(classifyDatabaseError(new Error('wrapped', { cause: error }))).toBe('unavailable');
  });

  it.each(['42703', '22012', '25P02', '25001'])('of a statement is classified as unexpected: %s', (code) => {
    expect(classifyDatabaseError({ code })).toBe('unexpected');
  });
});
