import { maxRowsWithin, type PageLimit } from '../../../domain/page-limit.ts';
import type { Page, PageReader } from './page-reader.ts';

/** A page of rows in the order of their positions. */
export interface RowPage {
  /** The position after which the page starts. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** A page of a list in the order of a text, such as an id. */
export interface TextPage<Item> extends Omit<Page<Item>, 'next'> {
  /** The text after which the next page starts; undefined on the last page. */
  readonly next: string | undefined;
}

/** Returns a page reader of items that `read` returns in the order of one text. */
export const textPages =
  <Item>(read: (after: string | undefined, limit: PageLimit) => Promise<TextPage<Item>>): PageReader<Item> =>
  async (after, limit) => {
    const { next, ...page } = await read(after && String(after[0]), limit);
    return { ...page, next: next === undefined ? undefined : [next] };
  };

/** Returns a page reader of small rows that `read` returns in the order of their positions. */
export const pagesBy =
  <Row, Item>(
    positionOf: (row: Row) => string | number,
    maxRowBytes: number,
    view: (row: Row) => Item,
    read: (page: RowPage) => Promise<readonly Row[]>,
  ): PageReader<Item> =>
  async (after, limit) => {
    const count = maxRowsWithin(limit, maxRowBytes);
    const found = await read({ after: after && String(after[0]), limit: count + 1 });
    const page = found.slice(0, count);
    const last = found.length > count ? page.at(-1) : undefined;
    return {
      items: page.map(view),
      next: last && [positionOf(last)],
      cut: last !== undefined && count < limit.rows,
    };
  };

/** Returns a page reader of small rows that `read` returns in the order of `id`, the surrogate key. */
export const rowPages = <Row extends { readonly id: string }, Item>(
  maxRowBytes: number,
  view: (row: Row) => Item,
  read: (page: RowPage) => Promise<readonly Row[]>,
): PageReader<Item> => pagesBy(({ id }) => id, maxRowBytes, view, read);
