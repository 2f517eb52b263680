import { sql } from 'kysely';

/** A timestamp column as whole milliseconds since the epoch, as the wire has times; null stays null. */
export const epochMilliseconds = <Time extends number | null = number>(column: string) =>
  sql<Time>`floor(extract(epoch from ${sql.ref(column)}) * 1000)::float8`;
