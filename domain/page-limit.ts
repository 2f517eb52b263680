import { z } from 'zod';

/** Limits of a page. The statement of every list stops at them. */
export interface PageLimit {
  /** Max records. */
  readonly rows: number;
  /** Max bytes of the stored text of all records. */
  readonly bytes: number;
  /** Max bytes of the first record. A first record beyond `bytes` is returned alone. */
  readonly aloneBytes: number;
}

/** Limits a page by its number of records only. For small records and a small `rows`. */
export const rowsOnly = (rows: number): PageLimit => ({
  rows,
  bytes: Number.MAX_SAFE_INTEGER,
  aloneBytes: Number.MAX_SAFE_INTEGER,
});

/** Returns how many records of at most `maxRecordBytes` fit in the limit, at least one. */
export const maxRowsWithin = ({ rows, bytes }: PageLimit, maxRecordBytes: number): number =>
  Math.max(1, Math.min(rows, Math.floor(bytes / maxRecordBytes)));

/** Max rows that a page with filters examines. It may be short or empty although more pages follow. */
export const maxExamined = 20_000;

/** Columns that `withinBytes` adds to the rows of a page. */
export const BoundedRow = z.strictObject({
  /** False for the row after a page that the byte limit ended. Its content is null. */
  fits: z.boolean(),
  /** Number of rows without the byte limit, a PostgreSQL bigint. */
  candidates: z.string(),
});
export type BoundedRow = z.infer<typeof BoundedRow>;

/**
 * Returns the rows that fit and whether the byte limit cut the page. A cut page without rows means that the next record
 * exceeds `aloneBytes`. A cut page can have the max number of rows.
 */
export function withinLimit<Row extends BoundedRow>(
  found: readonly Row[],
): { readonly fitting: Row[]; readonly cut: boolean } {
  const fitting = found.filter(({ fits }) => fits);
  return { fitting, cut: fitting.length < Number(found[0]?.candidates ?? 0) };
}
