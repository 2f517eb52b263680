import { sql } from 'kysely';
import { z } from 'zod';
import { advisoryLocks } from '../../platform/database/advisory-locks.ts';
import type { EntityManager } from '../../platform/database/orm.ts';
import { rowsOf } from '../../platform/database/statements.ts';
import { tablesOf } from '../tables.ts';
import type { LimitedKind } from './limited-call.entity.ts';

/**
 * Milliseconds without a heartbeat after which the calls of a process do not count: four heartbeats. After an outage of
 * the database it is a minute, because all processes were silent then. The sweep removes one that was silent for longer.
 */
const maxSilenceMs = { steady: 4_000, afterOutage: 60_000 } as const;

/** Rows that one turn of the sweep deletes. */
const maxRows = 5_000;

/** The key and the kind of calls that a limit applies to. */
export interface CallQueue {
  /** Surrogate key. */
  readonly tenantId: string;
  readonly kind: LimitedKind;
}

const IdRow = z.strictObject({ id: z.string() });

/** SQL: waits until no other transaction inserts calls. */
const inTurn = sql`pg_advisory_xact_lock(${sql.lit(advisoryLocks.limitedCalls)}, 0)`;

/**
 * Puts calls at the end of the queues of their keys and returns their ids, in order. Ids are assigned and committed in one
 * order: a process that reads an id later finds every smaller one.
 */
export async function enterCalls(
  em: EntityManager,
  process: string,
  calls: readonly CallQueue[],
): Promise<readonly string[]> {
  const entered = await rowsOf(
    em,
    IdRow,
    sql`with turn as materialized (select ${inTurn}),
    entered as (
      insert into limited_call (api_key_id, kind, process)
      select u.api_key_id, u.kind, ${process} from turn,
        unnest(${calls.map(({ tenantId }) => tenantId)}::bigint[], ${calls.map(({ kind }) => kind)}::text[])
        with ordinality as u (api_key_id, kind, n)
      order by u.n returning id)
    select id::text from entered order by entered.id`,
  );
  return entered.map(({ id }) => id);
}

/**
 * Returns which calls of a process run: those among the first `max` of their keys, over all processes. `steady` is
 * false after an outage of the database, while other processes may still run although they are silent.
 */
export async function runningCalls(
  em: EntityManager,
  process: string,
  queues: readonly (CallQueue & { readonly max: number })[],
  steady: boolean,
): Promise<ReadonlySet<string>> {
  const silenceMs = steady ? maxSilenceMs.steady : maxSilenceMs.afterOutage;
  const running = await rowsOf(
    em,
    IdRow,
    sql`select c.id::text from unnest(${queues.map(({ tenantId }) => tenantId)}::bigint[],
        ${queues.map(({ kind }) => kind)}::text[], ${queues.map(({ max }) => max)}::int[]) as u (api_key_id, kind, max),
      lateral (
        select c.id, c.process, row_number() over (order by c.id) as position from limited_call c
        where c.api_key_id = u.api_key_id and c.kind = u.kind
          and (c.process = ${process} or exists (select from process p where p.id = c.process
            and p.heartbeat_at > now() - ${sql.lit(silenceMs)} * interval '1 millisecond'))
      ) c where c.position <= u.max and c.process = ${process}`,
  );
  return new Set(running.map(({ id }) => id));
}

/** Removes calls that have ended or were abandoned. */
export async function leaveCalls(em: EntityManager, ids: readonly string[]): Promise<void> {
  await sql`delete from limited_call where id = any(${ids}::bigint[])`.execute(tablesOf(em));
}

/**
 * Removes the calls of a process in these queues except `kept`. Must run in a transaction, READ COMMITTED: the lock
 * waits for insertions of lost connections, and only a later statement sees what they have committed.
 */
export async function leaveOtherCalls(
  em: EntityManager,
  process: string,
  queues: readonly CallQueue[],
  kept: readonly string[],
): Promise<void> {
  await sql`select ${inTurn}`.execute(tablesOf(em));
  await sql`delete from limited_call where id = any(array(
      select c.id from unnest(${queues.map(({ tenantId }) => tenantId)}::bigint[],
        ${queues.map(({ kind }) => kind)}::text[]) as u (api_key_id, kind),
      lateral (
        select c.id from limited_call c
        where c.api_key_id = u.api_key_id and c.kind = u.kind and c.process = ${process} offset 0
      ) c where c.id <> all(${kept}::bigint[])))`.execute(tablesOf(em));
}

/** Deletes the calls of processes that have ended without removing them. */
export async function deleteOrphanedCalls(em: EntityManager): Promise<void> {
  await sql`delete from limited_call where id = any(array(
      select c.id from limited_call c where not exists (select from process p where p.id = c.process)
      order by c.id limit ${sql.lit(maxRows)}))`.execute(tablesOf(em));
}
