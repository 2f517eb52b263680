import { sql, type RawBuilder } from 'kysely';
import type { EntityManager } from '../platform/database/orm.ts';
import { changedBy } from '../platform/database/statements.ts';

/** Default of `RowsToDelete.max`. */
const maxRows = 5_000;

/** The rows of a table that meet a condition. */
export interface RowsToDelete {
  readonly table: string;
  /** True excludes the rows of the table's partitions. */
  readonly only?: boolean;
  readonly where: RawBuilder<unknown>;
  /** The column of an index that finds the rows. */
  readonly orderBy?: string;
  /** Max rows per statement, 5,000 by default. */
  readonly max?: number;
}

/**
 * SQL: deletes the first of these rows. The condition is checked again under the locks, because a concurrent call may have
 * extended a row, and rows of several partitions may have the same `ctid`.
 */
export function deletionOf({
  table,
  only,
  where,
  orderBy,
  max = maxRows,
}: RowsToDelete): RawBuilder<unknown> {
  const from = only === true ? sql`only ${sql.table(table)}` : sql.table(table);
  const order = orderBy === undefined ? sql`` : sql`order by ${sql.ref(orderBy)}`;
  return sql`delete from ${from} where ctid = any(array(
    select ctid from ${from} where ${where} ${order} limit ${sql.lit(max)})) and (${where})`;
}

/** A function that deletes one batch of these rows, and returns whether it was full, so that more rows may match. */
export function batchDeletion({
  max = maxRows,
  ...rows
}: RowsToDelete): (em: EntityManager) => Promise<boolean> {
  return async (em) => (await changedBy(em, deletionOf({ ...rows, max }))) === max;
}
