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
import { lockDeletion, readPersonScope, type ActiveDeletion } from './active-deletion.ts';

/** Delay between two checks for writers in progress; it doubles from min to max. */
const pollDelayMs = { min: 10, max: 250 } as const;

/**
 * Sets the write fence. On return no write that names the people is in progress, and none is accepted until the deletion
 * ends. Yields while it waits for writers. Returns false for an ended deletion. Idempotent.
 */
export async function* fenceUsers(orm: Orm, deletion: ActiveDeletion): AsyncGenerator<void, boolean> {
  yield* indexEarlierRows(orm);
  const put = await inTransaction(orm, async (em) => setFence(em, deletion));
  if (put !== 'waiting') return put === 'closed';
  // Writers that did not see the committed fence lock a user's row or share the lock of names. A locked row counts as free
  // once every transaction older than the fence has ended.
  const after = await nextTransaction(orm.em.fork());
  const { users } = await readPersonScope(orm.em.fork(), deletion);
  let held = users.map(({ id }) => id);
  let settled = false;
  for (let delayMs: number = pollDelayMs.min; ; delayMs = Math.min(2 * delayMs, pollDelayMs.max)) {
    held = await usersStillLocked(orm.em.fork(), deletion, held, after);
    settled = settled || (await namesSettled(orm.em.fork(), { id: deletion.tenantId }, after));
    if (held.length === 0 && settled) break;
    yield;
    await pause(delayMs);
  }
  return inTransaction(orm, async (em) => {
    const locked = await lockDeletion(em, deletion, ['fencing']);
    locked?.enter('deleting');
    return locked !== undefined;
  });
}

/**
 * Writes the fence. Looks up the users again: another deletion may have deleted their rows. `waiting`: writers may be in
 * progress; `closed`: none is; `ended`: the deletion has ended.
 */
async function setFence(
  em: EntityManager,
  deletion: ActiveDeletion,
): Promise<'waiting' | 'closed' | 'ended'> {
  const locked = await lockDeletion(em, deletion, [null, ...deletionPhases]);
  if (locked === undefined) return 'ended';
  if (!locked.isIn([null, 'fencing'])) return 'closed';
  const { users } = await readPersonScope(em, deletion);
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

/** The id of a new transaction: every transaction in progress that holds a row lock has a lower one. */
async function nextTransaction(em: EntityManager): Promise<string> {
  const current = sql<string>`pg_current_xact_id()::text`.as('id');
  return (await tablesOf(em).selectNoFrom(current).executeTakeFirstOrThrow()).id;
}

/**
 * Returns the users whose rows a transaction older than the fence may still lock. Its own locks end with the statement.
 */
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
