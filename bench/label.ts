/** How a table names a number of rows: thousands as `k`, millions as `M`. */
export const label = (rows: number): string =>
  rows >= 1_000_000
    ? `${String(rows / 1_000_000)} M`
    : rows >= 1_000
      ? `${String(rows / 1_000)} k`
      : String(rows);
