import { randomInt } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Executed } from '../../../../api/http/act/claimed-key.ts';
import { GroupCommit, isGrouped } from '../../../../api/http/act/group-commit.ts';
import type { HttpDependencies } from '../../../../api/http/act/work.ts';
import type { WriteRoom } from '../../../../api/http/act/write-room.ts';
import type { Call } from '../../../../api/http/endpoint.ts';
import { groupedEndpoint } from '../../../../api/http/grouped-endpoint.ts';
import { DomainError } from '../../../../domain/errors.ts';
import { dataResponse, succeeded } from '../../../../api/http/response/data.ts';
import { tablesOf } from '../../../../domain/tables.ts';
import { startTestApi } from '../../../support/api.ts';
import { eventually, repeatUntil } from '../../../support/eventually.ts';

const api = await startTestApi();
afterAll(api.close);

const executed: Executed = { code: 200, body: '', replayed: false };
const room = { admit: () => undefined } as unknown as WriteRoom;

/** A lock that the endpoint refuses. */
const refusedLock = -1;

/** Calls that each take an advisory lock of PostgreSQL, and the locks of each shared transaction. */
function aGroupCommit() {
  const commit = new GroupCommit();
  const groups: number[][] = [];
  const endpoint = groupedEndpoint({
    paths: ['/v2/test/locks'],
    summary: 'Locks.',
    description: 'Locks.',
    data: z.strictObject({ lock: z.number() }),
    example: { lock: 1 },
    response: dataResponse(z.null()),
    errors: [],
    async handleTogether(calls, { em }) {
      groups.push(calls.map(({ data }) => data.lock));
      if (calls.some(({ data }) => data.lock === refusedLock)) throw new DomainError('NOT_FOUND', 'No lock.');
      for (const { data } of calls)
        await sql`select pg_advisory_xact_lock(${data.lock}::bigint)`.execute(tablesOf(em));
      return calls.map(() => succeeded('Done.', null));
    },
  });
  if (!isGrouped(endpoint)) throw new Error('not grouped');
  const dependencies = { orm: api.orm, keyRing: api.keyRing } as unknown as HttpDependencies;
  const send = async (lock: number, alone: () => Promise<unknown>): Promise<Executed> =>
    commit.execute(
      dependencies,
      endpoint,
      { tenant: { id: '1', switches: {} }, data: { lock } } as unknown as Call<'apiKey', unknown>,
      {
        bytes: 1,
        idempotent: undefined,
        room,
        owner: 'apiKey/1',
        alone: async () => {
          await alone();
          return executed;
        },
      },
    );
  return { commit, groups, send };
}

describe('calls of which one waits for a lock', () => {
  it('share no transaction for a second after the first that it held up', async () => {
    const holder = await api.database.connect();
    await repeatUntil(async () => {
      const { commit, groups, send } = aGroupCommit();
      const held = randomInt(1_000_000);
      const free = held + 1_000_000;
      await holder.query('select pg_advisory_lock($1)', [held]);
      const unlocked = Promise.withResolvers<void>();
      const waiting: Promise<unknown>[] = [];
      /** Sends a call for each lock at once. Resolves with the free one. */
      const round = async (): Promise<void> => {
        waiting.push(send(held, async () => unlocked.promise));
        await send(free, async () => undefined);
      };
      await round();
      const failedAt = performance.now();
      expect(groups).toEqual([[held, free]]);
      // The first free call ended long after the time in which an idle lane is removed.
      for (let nth = 0; nth < 2; nth += 1) await round();
      const withinTime = performance.now() - failedAt < 900;
      if (withinTime) expect(groups).toHaveLength(1);
      expect(commit.lanes).toBe(1);
      await holder.query('select pg_advisory_unlock($1)', [held]);
      unlocked.resolve();
      await Promise.all(waiting);
      await eventually(() => commit.lanes === 0);
      await round();
      await Promise.all(waiting);
      expect(groups.at(-1)).toEqual([held, free]);
      await eventually(() => commit.lanes === 0);
      return withinTime;
    });
    await holder.query('select pg_advisory_unlock_all()');
  });

  it('still share transactions after one refusal, but not after two within a second', async () => {
    await repeatUntil(async () => {
      const { groups, send } = aGroupCommit();
      const noLock = async (): Promise<void> => undefined;
      const round = async (...locks: readonly [number, number]): Promise<unknown> =>
        Promise.all(locks.map(async (lock) => send(lock, noLock)));
      const began = performance.now();
      await round(1, refusedLock);
      await round(1, 2);
      await round(1, refusedLock);
      const before = groups.length;
      await round(1, 2);
      if (performance.now() - began > 900) return false;
      expect(groups.filter((locks) => locks.includes(2))).not.toEqual([]);
      expect(groups).toHaveLength(before);
      return true;
    });
  });

  it('leave no lane behind', async () => {
    const { commit, send } = aGroupCommit();
    await Promise.all([send(1, async () => undefined), send(2, async () => undefined)]);
    await eventually(() => commit.lanes === 0);
  });
});
