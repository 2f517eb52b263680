/** Returns a number of rows for a table: thousands as `k`, millions as `M`. */
export const label = (rows: number): string =>
  rows >= 1_000_000
    ? `${String(rows / 1_000_000)} M`
    : rows >= 1_000
      ? `${String(rows / 1_000)} k`
      : String(rows);
