import { sql, type RawBuilder } from 'kysely';

/**
 * SQL: the time with which due times are compared. `workflowMs`: the time of the workflow, in milliseconds since the epoch,
 * which a test's server moves.
 */
export type Clock = (workflowMs: number) => RawBuilder<Date>;

export const databaseClock: Clock = () => sql<Date>`now()`;
