import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { z } from 'zod';
import { inTransaction, type EntityManager, type Orm } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import { namesSettled } from '../users/lock-named.ts';
import { lockForDeletion } from '../users/lock-users.ts';
import { indexEarlierRows } from './upgrade/index-earlier-rows.ts';
import { deletionPhases } from './deletion-phases.ts';
import { lockDeletion, scopeOf, type ActiveDeletion } from './active-deletion.ts';

/** Milliseconds between two looks whether writers have ended. */
const pollDelaysMs = { first: 10, longest: 250 } as const;

/**
 * Closes the door: when it has ended, no write that names the people can be under way where their data is deleted, and
 * none is accepted until the deletion ends. Yields while it waits for writers. Ends with false for a deletion that has
 * ended. May be repeated from anywhere.
 *
 * First the fence is written and committed: who reads it from then on is refused. Then it waits for those who read before:
 * each of them holds the person's row, which is seen by locking that row, or shares the lock of those who write names. People whom writers of other organizations, or
 * refused ones, hold without a gap cannot be locked like that; for them it is enough that every transaction has ended
 * that was under way when the fence was written.
 */
export async function* fenceUsers(orm: Orm, deletion: ActiveDeletion): AsyncGenerator<void, boolean> {
  yield* indexEarlierRows(orm);
  const put = await inTransaction(orm, async (em) => setFence(em, deletion));
  if (put !== 'waiting') return put === 'closed';
  const after = await nextTransaction(orm.em.fork());
  const { users } = await scopeOf(orm.em.fork(), deletion);
  let held = users.map(({ id }) => id);
  let settled = false;
  for (let wait: number = pollDelaysMs.first; ; wait = Math.min(2 * wait, pollDelaysMs.longest)) {
    held = await usersStillLocked(orm.em.fork(), deletion, held, after);
    settled = settled || (await namesSettled(orm.em.fork(), { id: deletion.tenantId }, after));
    if (held.length === 0 && settled) break;
    yield;
    await pause(wait);
  }
  return inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['fencing']);
    locked?.enter('deleting');
    return locked !== undefined;
  });
}

/**
 * Looks the people up anew: since the deletion was accepted another one may have removed their rows. `waiting`: for the
 * writers; `closed`: nobody is waited for any more.
 */
async function setFence(
  em: EntityManager,
  deletion: ActiveDeletion,
): Promise<'waiting' | 'closed' | 'ended'> {
  const locked = await lockDeletion(em, deletion, [null, ...deletionPhases]);
  if (locked === undefined) return 'ended';
  if (!locked.isIn([null, 'fencing'])) return 'closed';
  const { users } = await scopeOf(em, deletion);
  const present = await lockForDeletion(
    em,
    { id: deletion.tenantId },
    users.map(({ userId }) => userId),
  );
  const keys = JSON.stringify(Object.fromEntries(present));
  await sql`update user_deletion set user_id = (${keys}::jsonb ->> user_ext_id)::bigint, fenced_at = coalesce(fenced_at, now())
    where job_id = ${deletion.jobId} and api_key_id = ${deletion.tenantId} and ${keys}::jsonb ? user_ext_id`.execute(
    tablesOf(em),
  );
  locked.enter('fencing');
  return 'waiting';
}

/** The number of a transaction that begins now: every one that is under way has a lower one as soon as it holds a row. */
async function nextTransaction(em: EntityManager): Promise<string> {
  const current = sql<string>`pg_current_xact_id()::text`.as('id');
  return (await tablesOf(em).selectNoFrom(current).executeTakeFirstOrThrow()).id;
}

/** Of these people the ones whom a transaction from before the fence may still hold. Locks for the moment of the statement. */
async function usersStillLocked(
  em: EntityManager,
  { tenantId }: ActiveDeletion,
  users: readonly string[],
  after: string,
): Promise<string[]> {
  const held = await rowsOf(
    em,
    HeldRow,
    sql`with free as materialized (
        select id from app_user where api_key_id = ${tenantId} and id = any(${users}) order by id for update skip locked)
      select u.id from app_user u where u.api_key_id = ${tenantId} and u.id = any(${users}) and u.id not in (select id from free)
        and pg_snapshot_xmin(pg_current_snapshot()) < ${after}::xid8`,
  );
  return held.map(({ id }) => id);
}

const HeldRow = z.strictObject({ id: z.string() });
