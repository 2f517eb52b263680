import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type EntityManager } from './orm.ts';
import type { Settings } from './settings.ts';
import { kyselyOf } from './statements.ts';

/*
 * Everything that Steward tells PostgreSQL's planner stands in this file. The reason is always the same: a connection keeps
 * the plan of a prepared statement, and a plan made while a table was small, or before it was first analyzed, reads or sorts
 * the whole table for each row that it looks for. When the table has grown, such a plan takes minutes, and nothing replaces
 * it until statistics change. Every statement of Steward has an index, so the planner is told to use it: for the role as a
 * whole (`plannerOfRole`, which `migrate` sets), and for one transaction where a statement needs more (`set local`).
 */

/** For every session of the role. API statements are short and sent often: each is planned once a connection. */
export const plannerOfRole: Settings = {
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/** In workers: their statements work on lists of very different lengths, so that plans may depend on the values. */
export const plannerOfWork: Settings = { ...plannerOfRole, plan_cache_mode: 'auto' };

/** In migrations: they read whole tables. */
export const plannerOfMigrations: Settings = { enable_seqscan: 'on', plan_cache_mode: 'auto' };

const off = (...settings: readonly string[]): string =>
  settings.map((name) => `set_config('${name}', 'off', true)`).join(', ');

/** Among what a statement selects: for the rest of the transaction each row is looked up by an index. */
export const indexLookups = sql.raw(off('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'));

/**
 * Like `indexLookups`: a list is also read along its index, in its order, and no further than its page. A plan for a
 * page of any length would collect and sort everything where statistics tell of few rows.
 */
export const walkAlongIndex = sql`${indexLookups}, ${sql.raw(off('enable_bitmapscan', 'enable_sort'))}`;

/** Among what a statement selects: for the rest of the transaction statements are planned once a connection, as in the API. */
export const planOnce = sql`set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * Switched off where a step looks for a person's rows: the planner does not know how many a person has, and a plan that
 * first collects all of them to take a few reads millions again and again.
 */
export const offAtPlaces = ['enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin'] as const;

/** Among what a statement selects: from here on all rows are wanted, and are quicker deleted in the order in which they lie. */
export const collectRows = sql`set_config('enable_bitmapscan', 'on', true)`;

/** For the rest of the transaction, statements read along an index in its order, also over a table that was never vacuumed. */
export async function walkAlongIndexes(em: EntityManager): Promise<void> {
  await sql`select ${walkAlongIndex}`.execute(kyselyOf(em));
}

/** Reads under `indexLookups`, or another such setting, in a transaction of its own. A statement must always be sent so, or never. */
export async function readByIndex<Result>(
  em: EntityManager,
  read: (em: EntityManager) => Promise<Result>,
  settings: RawBuilder<unknown> = indexLookups,
): Promise<Result> {
  return inTransaction({ em }, async (reading) => {
    await sql`select ${settings}`.execute(kyselyOf(reading));
    return read(reading);
  });
}
