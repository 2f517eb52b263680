import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../platform/database/orm.ts';
import { retryConflicts } from '../platform/database/retry-conflicts.ts';
import { onlyRowOf, rowsOf } from '../platform/database/statements.ts';
import { aborted } from './errors.ts';
import { tablesOf } from './tables.ts';

/*
 * A deletion locks its rows FOR UPDATE, and writers lock them FOR KEY SHARE. Row locks are not fair: writers overtake a
 * waiting deletion, and a steady stream of them would starve it. So before its transaction, a deletion closes the rows
 * that writers hold: further writers do not lock them. To detect a closed row, a writer compares a column of a row that
 * it reads anyway. Closing never waits while it holds a lock, so it neither deadlocks nor blocks writers of other rows.
 */

/** Tables whose rows can be closed. */
type Closable = 'organization' | 'folder' | 'document';

/**
 * A deletion waits in several statements, each for up to 10 s (`statement_timeout`): for updates of the rows, for the tree
 * of folders, for writers of the rows. When it fails or its process crashes, writers proceed after this time.
 */
const closedFor = sql`interval '30 seconds'`;

/** SQL: whether no deletion has closed the row; `row`: the name of its table in the statement. */
export const isOpen = (row: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${row}.closing_until`)} <= now(), true)`;

/** Rows that updates hold, by surrogate key. They are still open. */
export interface UpdatedRows {
  readonly table: Closable;
  readonly ids: readonly string[];
}

/**
 * Closes those rows that only writers FOR KEY SHARE hold, and does not wait. Commit it at once, before the transaction
 * that deletes them: until then it locks all rows. `ids`: a query for surrogate keys. Returns whether it finds any, and
 * those left to `closeUpdated`.
 */
export async function closeHeld(
  em: EntityManager,
  table: Closable,
  ids: RawBuilder<unknown>,
): Promise<{ readonly found: boolean; readonly updated: UpdatedRows }> {
  const rows = sql.table(table);
  const { found, updated } = await onlyRowOf(
    em,
    ClosingRow,
    sql`with target as materialized (${ids}),
        free as materialized (
          select id from ${rows} where id = any(array(select id from target)) for update skip locked),
        shared as materialized (
          select id from ${rows} where id = any(array(select id from target except select id from free))
          for no key update skip locked),
        closed as (${close(table, sql`select id from shared`)})
      select exists (select from target) as found, array(
        select id::text from target except select id::text from free except select id::text from shared) as updated`,
  );
  return { found, updated: { table, ids: updated } };
}

const ClosingRow = z.strictObject({ found: z.boolean(), updated: z.array(z.string()) });

/**
 * Closes rows as soon as their updates end. Each statement waits for one row before it locks the others that are free by
 * then, and must commit before the next one: call it outside of a transaction. Ends early when `signal` aborts.
 */
export async function closeUpdated(
  em: EntityManager,
  { table, ids }: UpdatedRows,
  signal: AbortSignal,
): Promise<void> {
  const rows = sql.table(table);
  const left = new Set(ids);
  while (left.size > 0 && !signal.aborted) {
    const closing = sql`with awaited as materialized (
        select id from ${rows} where id = any(${[...left]}::bigint[]) order by id limit 1 for no key update),
      others as materialized (
        select id from ${rows} where id = any(array(select unnest(${[...left]}::bigint[]) except select id from awaited))
        for no key update skip locked)
      ${close(table, sql`select id from awaited union all select id from others`)} returning id`;
    const closed = await retryConflicts(async () => rowsOf(em, ClosedRow, closing));
    // The others have been removed.
    if (closed.length === 0) return;
    for (const { id } of closed) left.delete(id);
  }
}

const ClosedRow = z.strictObject({ id: z.string() });

const close = (table: Closable, ids: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`update ${sql.table(table)} set closing_until = clock_timestamp() + ${closedFor} where id = any(array(${ids}))`;

/** The column of the organization or the API key that owns rows. */
const owners = { organization: 'api_key_id', folder: 'org_id', document: 'org_id' } as const;

/**
 * Throws ABORTED while a deletion waits for writers of one of the rows. For ids that were not locked. `owner`: the API key
 * of organizations, the organization of others.
 */
export async function refuseClosed(
  em: EntityManager,
  table: Closable,
  owner: { readonly id: string },
  ids: readonly string[],
): Promise<void> {
  await refuseClosedAmong(
    em,
    sql`${sql.table(table)} where ${sql.ref(owners[table])} = ${owner.id} and ext_id = any(${ids}) and not ${isOpen(table)}`,
  );
}

/** Throws ABORTED while one of these closed rows exists, until its deletion commits. `closed`: the SQL after `from`. */
export async function refuseClosedAmong(em: EntityManager, closed: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql`select from ${closed} limit 1`.execute(tablesOf(em));
  if (rows.length > 0) throw aborted();
}
