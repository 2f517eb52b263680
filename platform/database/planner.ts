import { sql, type RawBuilder } from 'kysely';
import { inTransaction, type EntityManager } from './orm.ts';
import type { Settings } from './settings.ts';
import { kyselyOf } from './statements.ts';

/*
 * All planner settings of Steward are in this file. A connection keeps the plan of a prepared statement. A plan made
 * while a table was small, or before it was analyzed, scans or sorts the whole table for each row. It stays until
 * statistics change, and takes minutes on a large table. Every statement has an index, so these settings force its use.
 * They are set for the role (`rolePlannerSettings`, by `migrate`), and for one transaction where a statement needs more
 * (`set local`).
 */

/**
 * For every session of the role. API statements are short and frequent: each connection plans a statement once. Without
 * `force_generic_plan`, permission checks fall from 1.15 to 0.48 of the baseline (docs/benchmarks.md). A merge join reads an
 * index from its start to a point that outdated statistics may put far too late. Before PostgreSQL 18, a step that is off
 * but unavoidable costs so much in the plan that `jit` would compile each execution, for up to seconds.
 */
export const rolePlannerSettings: Settings = {
  enable_seqscan: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
  jit: 'off',
};

/** In workers: their statements take lists of very different lengths, so plans may depend on the values. */
export const workerPlannerSettings: Settings = { ...rolePlannerSettings, plan_cache_mode: 'auto' };

/** In migrations, which read whole tables. */
export const migrationPlannerSettings: Settings = {
  enable_seqscan: 'on',
  enable_mergejoin: 'on',
  plan_cache_mode: 'auto',
};

/**
 * For the transaction that creates webhook messages: its statement joins its own lists of thousands of rows, whose
 * length the planner cannot know. Nested loops over them would take seconds. Planned once per connection, because
 * planning over all daily partitions is slow.
 */
export const hashedListsSettings: Settings = {
  enable_nestloop: 'off',
  plan_cache_mode: 'force_generic_plan',
};

/**
 * SQL: whether a list of values (`= any(…)`) for a later column of an index finds the rows in the order of the index.
 * Before PostgreSQL 17, such a scan reads every row, or loses the order.
 */
export const findsListsInOrder = sql<boolean>`current_setting('server_version_num')::integer >= 170000`;

const off = (...settings: readonly string[]): string =>
  settings.map((name) => `set_config('${name}', 'off', true)`).join(', ');

/** In a select list: for the rest of the transaction, statements find each row through an index. */
export const indexLookups = sql.raw(off('enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'));

/**
 * Like `indexLookups`, and lists are read in index order, up to the end of the page. Otherwise, where statistics show few
 * rows, the plan collects and sorts all of them.
 */
export const inIndexOrder = sql`${indexLookups}, ${sql.raw(off('enable_bitmapscan', 'enable_sort'))}`;

/** In a select list: for the rest of the transaction, the connection plans each statement once, as in the API. */
export const planOnce = sql`set_config('plan_cache_mode', 'force_generic_plan', true)`;

/**
 * Disabled while a deletion step finds a person's rows. The planner does not know how many rows a person has. A plan
 * that collects all of them for each batch reads millions of rows repeatedly.
 */
export const disabledForPersonalData = ['enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin'] as const;

/** In a select list: from here on all rows are needed, and are deleted faster in physical order. */
export const collectRows = sql`set_config('enable_bitmapscan', 'on', true)`;

/** For the rest of the transaction, statements read in index order, even on a table that was never vacuumed. */
export async function readInIndexOrder(em: EntityManager): Promise<void> {
  await sql`select ${inIndexOrder}`.execute(kyselyOf(em));
}

/**
 * Reads in its own transaction under `indexLookups` or other settings. Never send the same statement without them: the
 * connection keeps the plan of the first execution.
 */
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

/** In a select list: from here on statements join lists of rows found by key, which nested loops compare row by row. */
export const joinByHash = sql`set_config('enable_hashjoin', 'on', true)`;
