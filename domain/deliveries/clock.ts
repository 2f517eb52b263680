import { sql, type RawBuilder } from 'kysely';

/**
 * SQL: the time with which due times are compared. `workflowMs`: the workflow's time in milliseconds since the epoch,
 * which a time-skipping test server advances.
 */
export type Clock = (workflowMs: number) => RawBuilder<Date>;

export const databaseClock: Clock = () => sql<Date>`now()`;
