import { channel } from 'node:diagnostics_channel';

/** The zod schema of a row. Production does not parse rows; tests compare every returned row with it. */
export interface RowDeclaration<Row> {
  parse(row: unknown): Row;
}

/** The rows that a statement returned, and their declaration. */
export interface ReceivedRows {
  readonly row: RowDeclaration<unknown>;
  readonly rows: readonly unknown[];
}

/** Name of the diagnostics channel of `ReceivedRows`. */
export const receivedRowsName = 'steward.database.rows';

const received = channel(receivedRowsName);

/** Publishes the rows of a statement. */
export function publishRows(row: RowDeclaration<unknown>, rows: readonly unknown[]): void {
  if (received.hasSubscribers) received.publish({ row, rows } satisfies ReceivedRows);
}
