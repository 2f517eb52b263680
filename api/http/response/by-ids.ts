import type { PageLimit } from '../../../domain/page-limit.ts';
import type { Page, PageReader } from './page-reader.ts';

/** The records found. `next` is the last id read when the byte limit ended the page. */
interface FoundPage<Item> extends Pick<Page<Item>, 'items' | 'cut'> {
  readonly next: string | undefined;
}

/** Returns a reader of pages over the ids of a request, in their order. The position is an index into the ids. */
export function byIds<Item>(
  ids: readonly string[],
  read: (ids: readonly string[], limit: PageLimit) => Promise<FoundPage<Item>>,
): PageReader<Item> {
  return async (after, limit) => {
    const from = after === undefined ? 0 : Number(after[0]);
    const requested = ids.slice(from, from + limit.rows);
    if (requested.length === 0) return { items: [], next: undefined, cut: false };
    const { items, next, cut } = await read(requested, limit);
    const end = from + (cut ? requested.indexOf(next ?? '') + 1 : requested.length);
    return { items, next: end < ids.length ? [end] : undefined, cut };
  };
}
