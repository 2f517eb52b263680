import { sql, type Expression } from 'kysely';

/** SQL: a timestamp, or a column of that name, as whole milliseconds since the epoch: the wire's format; null stays null. */
export const epochMilliseconds = <Time extends number | null = number>(time: string | Expression<unknown>) =>
  sql<Time>`floor(extract(epoch from ${typeof time === 'string' ? sql.ref(time) : time}) * 1000)::float8`;
