import { z } from 'zod';
import type { PageLimit } from '../../domain/page-limit.ts';
import { maxPrefixLength, type SearchPage, type SearchRange } from '../../domain/prefix-search.ts';
import { paging } from '../http/response/list.ts';
import { pageSizeText, type PageReader } from '../http/response/page-reader.ts';
import { integer } from '../schemas.ts';

const maxPageSize = 100;

/** Members of a search by prefix. `texts` names those that are compared. */
export const searchRequest = (texts: string) => ({
  prefix: z
    .string()
    .min(1)
    .max(maxPrefixLength)
    .describe(`Beginning of ${texts}, 1 to ${String(maxPrefixLength)} characters.`),
  pageSize: integer(1, maxPageSize).default(maxPageSize).describe(pageSizeText()),
  pageToken: paging.pageToken,
});

/** The paragraph on pages in the description of a search. */
export const shortSearchPages =
  'Name search ignores case; id search is case-sensitive. A page may be short or empty although more pages ' +
  'follow: read on until `nextPageToken` is absent.';

/** Returns a page reader of a search. */
export const searchPages =
  <Row, Item>(
    search: (range: SearchRange) => Promise<SearchPage<Row>>,
    view: (row: Row) => Item,
  ): PageReader<Item> =>
  async (position, limit: PageLimit) => {
    const [source, key, id] = position ?? [];
    const after = position && { source: Number(source), key: String(key), id: String(id) };
    const { rows, next, cut } = await search({ after, limit });
    return { items: rows.map(view), next: next && [next.source, next.key, next.id], cut };
  };
