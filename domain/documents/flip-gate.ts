import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../../platform/database/orm.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { tablesOf } from '../tables.ts';

/*
 * Writers of a document pass its gate, an advisory lock, before they lock its row. Row locks are not fair: shared locks
 * overtake a waiting exclusive lock, so twenty concurrent writers would starve the flip. Advisory locks queue in order.
 * A gate exists only while a migration reserves the id, so other writes probe one nearly empty index.
 */

const gates = advisoryLocks.documentFlip;

/** SQL: waits for the gates of these rows of `id_reservation`; returns one row `passed` per open gate. */
export const passGates = (reservations: RawBuilder<unknown>) =>
  sql`select pg_advisory_xact_lock_shared(${sql.lit(gates)}, hashint8(r.job_id)) as passed from ${reservations}`;

/** SQL: true after every gate of the CTE `gate` has been passed. */
export const gatePassed = sql`(select count(passed) from gate) >= 0`;

/**
 * The flip calls this before it locks a row. Waits for writers inside the gate and blocks new ones until the transaction
 * ends.
 */
export async function closeGate(em: EntityManager, jobId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(gates)}, hashint8(${jobId}))`.execute(tablesOf(em));
}
