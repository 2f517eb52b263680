/** A timestamp column as whole milliseconds since the epoch, as the wire has times; null stays null. */
export const epochMilliseconds = (column: string): string =>
  `floor(extract(epoch from ${column}) * 1000)::float8`;
