import { sql, type RawBuilder } from 'kysely';
import { tablesOf } from '../tables.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';

/*
 * A document that is about to get a new id has a gate before it. Writers share the row's lock, and PostgreSQL lets one
 * sharer after the other in front of who waits for the row alone: under twenty writers at once a flip would wait for
 * ever. Advisory locks stand in line. The gate is there while a migration has reserved the id, so other writes pay one
 * probe of a nearly empty index.
 */

const gates = advisoryLocks.documentFlip;

/** SQL: goes through the gates of these rows of `id_reservation`; each is answered as `passed` once it stands open. */
export const passGates = (reservations: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select pg_advisory_xact_lock_shared(${sql.lit(gates)}, hashint8(r.job_id)) as passed from ${reservations}`;

/** Holds once every gate of the common table `gate` has been passed. */
export const gatePassed = sql`(select count(passed) from gate) >= 0`;

/** For the flip, before any row: waits for the writers that went through, and has those that come wait, until its end. */
export async function closeGate(em: EntityManager, jobId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(gates)}, hashint8(${jobId}))`.execute(tablesOf(em));
}
