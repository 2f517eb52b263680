import type { PageReader } from '../http/response/page-reader.ts';

/** Ends each page after `maxRows` records, for records that are expensive to read. */
export const shortPages =
  <Item>(maxRows: number, list: PageReader<Item>): PageReader<Item> =>
  async (after, limit) =>
    list(after, { ...limit, rows: Math.min(limit.rows, maxRows) });
