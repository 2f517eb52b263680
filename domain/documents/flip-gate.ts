import type { EntityManager } from '../../platform/database/orm.ts';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import { row } from '../../platform/database/sql.ts';

/*
 * A document that is about to get a new id has a gate before it. Writers share the row's lock, and PostgreSQL lets one
 * sharer after the other in front of who waits for the row alone: under twenty writers at once a flip would wait for
 * ever. Advisory locks stand in line. The gate is there while a migration has reserved the id, so other writes pay one
 * probe of a nearly empty index.
 */

const gates = advisoryLocks.documentFlip;

/** SQL: goes through the gates of these rows of `id_reservation`; each is answered as `passed` once it stands open. */
export const passGates = (reservations: string): string =>
  `select pg_advisory_xact_lock_shared(${String(gates)}, hashint8(r.job_id)) as passed from ${reservations}`;

/** SQL: holds once every gate of the common table `gate` has been passed. */
export const gatePassed = '(select count(passed) from gate) >= 0';

/** For a writer's locking statement with `$1` organization and `$2` the document's id: the common table and the condition. */
export const throughGate = {
  table: `gate as materialized (
    ${passGates('id_reservation r where r.org_id = $1 and r.ext_id = $2')})`,
  condition: gatePassed,
} as const;

/** For the flip, before any row: waits for the writers that went through, and has those that come wait, until its end. */
export async function closeGate(em: EntityManager, jobId: string): Promise<void> {
  await row(em, `select pg_advisory_xact_lock(${String(gates)}, hashint8($1))`, [jobId]);
}
