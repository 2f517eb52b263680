import { mebibyte } from '../../../platform/units.ts';
import type { PageLimit } from '../../../domain/page-limit.ts';

/** Byte limit of a page and of any other response to a read. */
export const maxResponseBytes = 10 * mebibyte;

/** Describes the max number of records of a page, which also ends at `end`, by default at `maxResponseBytes`. */
export const pageSizeText = (end = `at ${String(maxResponseBytes / mebibyte)} MiB`): string =>
  `Max records of a page. A page also ends ${end}, so it may have fewer records.`;

/** The end of a page: the values of the columns that order the list. */
export type Position = readonly (string | number)[];

/** Consecutive records of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Absent on the last page. */
  readonly next?: Position | undefined;
  /** The byte limit ended the page. Without items, the next record exceeds `limit.aloneBytes`. */
  readonly cut: boolean;
}

/** Reads the items after a position, within a limit. Holds no connection between calls. */
export type PageReader<Item> = (after: Position | undefined, limit: PageLimit) => Promise<Page<Item>>;

/** The schema of the token for the next page. */
export const nextPageToken = {
  type: 'string',
  description: 'Send this value as `pageToken` to read the next page. Absent on the last page.',
};
