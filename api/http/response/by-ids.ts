import type { PageLimit } from '../../../domain/page-limit.ts';
import type { Page, PageReader } from './page-reader.ts';

/** What was found of the ids; `next` is the last one that was read when bytes ended the page. */
interface FoundPage<Item> extends Pick<Page<Item>, 'items' | 'cut'> {
  readonly next: string | undefined;
}

/** Pages over the ids of a request, in their order: a token says behind which of them the next page starts. */
export function byIds<Item>(
  ids: readonly string[],
  read: (ids: readonly string[], limit: PageLimit) => Promise<FoundPage<Item>>,
): PageReader<Item> {
  return async (after, limit) => {
    const from = after === undefined ? 0 : Number(after[0]);
    const asked = ids.slice(from, from + limit.rows);
    if (asked.length === 0) return { items: [], next: undefined, cut: false };
    const { items, next, cut } = await read(asked, limit);
    const end = from + (cut ? asked.indexOf(next ?? '') + 1 : asked.length);
    return { items, next: end < ids.length ? [end] : undefined, cut };
  };
}
