import { mebibyte, type PageLimit } from '../../../domain/page-limit.ts';

/** Bytes after which a page ends, and which no other response of a read has more of. */
export const maxResponseBytes = 10 * mebibyte;

/** Where a page ends: the values of the columns that it is ordered by. */
export type Position = readonly (string | number)[];

/** Records of a list in their order, read at one time. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent at the end. */
  readonly next?: Position | undefined;
  /** Bytes ended the page. Without items: the next one is larger than `limit.aloneBytes`. */
  readonly cut: boolean;
}

/** Reads the items behind a position, within a limit. No connection is held between two calls. */
export type PageReader<Item> = (after: Position | undefined, limit: PageLimit) => Promise<Page<Item>>;

/** The schema of the member that leads to the next page. */
export const nextPageToken = {
  type: 'string',
  description: 'Send it as pageToken for the next page; absent at the end.',
};
