import { sql } from 'kysely';

/** SQL: a timestamp column as whole milliseconds since the epoch, the time format of the wire; null stays null. */
export const epochMilliseconds = <Time extends number | null = number>(column: string) =>
  sql<Time>`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
