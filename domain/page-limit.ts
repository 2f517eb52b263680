import { z } from 'zod';

/** Bytes of a mebibyte. */
export const mebibyte = 1_048_576;

/** Where a page ends at the latest. Every reader of a list gets one, and its statement stops there. */
export interface PageLimit {
  /** Max records. */
  readonly rows: number;
  /** Max bytes of the stored text of all records. */
  readonly bytes: number;
  /** Max bytes of the first record, which is returned alone when it is larger than `bytes`. */
  readonly aloneBytes: number;
}

/** A page that nothing but its number of records ends: for records of a few kilobytes, of which `rows` is small. */
export const rowsOnly = (rows: number): PageLimit => ({
  rows,
  bytes: Number.MAX_SAFE_INTEGER,
  aloneBytes: Number.MAX_SAFE_INTEGER,
});

/** For small records of at most `largest` bytes: as many of them as have room, at least one. */
export const rowsWithin = ({ rows, bytes }: PageLimit, largest: number): number =>
  Math.max(1, Math.min(rows, Math.floor(bytes / largest)));

/** What `withinBytes` adds to the rows of a page. */
export const BoundedRow = z.strictObject({
  /** False of the row behind the page, if bytes ended it: its content is null. */
  fits: z.boolean(),
  /** Rows that the page would have without its limit of bytes; PostgreSQL counts in bigint. */
  candidates: z.string(),
});
export type BoundedRow = z.infer<typeof BoundedRow>;

/**
 * The rows that fit, and whether bytes have kept others out. A cut page without rows: the next record is larger than
 * `aloneBytes`. A cut page of as many rows as were asked for is full as well.
 */
export function withinLimit<Row extends BoundedRow>(
  found: readonly Row[],
): { readonly fitting: Row[]; readonly cut: boolean } {
  const fitting = found.filter(({ fits }) => fits);
  return { fitting, cut: fitting.length < Number(found[0]?.candidates ?? 0) };
}
