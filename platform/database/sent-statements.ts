import { tracingChannel } from 'node:diagnostics_channel';

/** One statement or transaction command, as sent. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Identifies the connection, from `connect` to `release`. */
  readonly connection: object;
}

/** Traces each `SentStatement` of this process. */
export const sentStatements = tracingChannel<unknown, SentStatement>('steward.database.statement');
