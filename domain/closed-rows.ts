import { sql, type RawBuilder } from 'kysely';
import { z } from 'zod';
import type { EntityManager } from '../platform/database/orm.ts';
import { rowOf } from '../platform/database/statements.ts';
import { DomainError } from './errors.ts';
import { messages } from './messages.ts';
import { tablesOf } from './tables.ts';

/*
 * A deletion locks its rows FOR UPDATE, and writers lock them FOR KEY SHARE. Row locks are not fair: writers overtake a
 * waiting deletion, so that writers without pause would starve it. So before its transaction, a deletion closes the rows
 * that writers hold: further writers do not lock them. A writer compares a column of the row that it reads anyway.
 */

/** Tables whose rows can be closed. */
type Closable = 'organization' | 'folder' | 'document';

/** Longer than the 10 s that a deletion waits for a row. When its process crashes, writers proceed afterwards. */
const closedFor = sql`interval '15 seconds'`;

/** SQL: whether no deletion has closed the row; `row`: the name of its table in the statement. */
export const isOpen = (row: string): RawBuilder<boolean> =>
  sql<boolean>`coalesce(${sql.ref(`${row}.closing_until`)} <= now(), true)`;

/**
 * Closes those rows that writers hold. Commit it before the transaction that deletes them. `ids`: a query for surrogate
 * keys. Returns whether it finds any.
 */
export async function closeHeld(
  em: EntityManager,
  table: Closable,
  ids: RawBuilder<unknown>,
): Promise<boolean> {
  const rows = sql.table(table);
  const found = await rowOf(
    em,
    FoundRow,
    sql`with target as materialized (${ids}),
        free as materialized (
          select id from ${rows} where id = any(array(select id from target)) for update skip locked),
        closed as (
          update ${rows} set closing_until = now() + ${closedFor}
          where id = any(array(select id from target except select id from free)))
      select exists (select from target) as found`,
  );
  return found?.found === true;
}

const FoundRow = z.strictObject({ found: z.boolean() });

/**
 * Throws ABORTED if there is one of these closed rows: it exists until its deletion commits. `closed`: what follows `from`.
 */
export async function refuseClosed(em: EntityManager, closed: RawBuilder<unknown>): Promise<void> {
  const { rows } = await sql`select from ${closed} limit 1`.execute(tablesOf(em));
  if (rows.length > 0) throw new DomainError('ABORTED', messages.aborted);
}
