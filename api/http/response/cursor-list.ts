import { z } from 'zod';
import { integer } from '../../schemas.ts';
import { check, objectSchema, within } from './envelope.ts';
import { maxResponseBytes, type PageReader } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

/** Members of the request; `pageToken` is another name of `cursor`. */
export const cursorPaging = (maxItems: number, usualItems: number) => ({
  pageSize: integer(1, maxItems).default(usualItems),
  cursor: z.string().optional(),
  pageToken: z.string().optional(),
});

/** What a request says of its page; the rest of its data are filters. At most one of the tokens is sent. */
interface CursorPaging {
  readonly pageSize?: number | undefined;
  readonly cursor?: string | undefined;
  readonly pageToken?: string | undefined;
}

const defaultPage = 50;

/** Of a `CursorListResponse`. */
export interface CursorListReply<Item> {
  readonly page: PageReader<Item>;
}

/** `result` is `{items, nextCursor, hasMore}` and nothing else: a list in an older form, without status and message. */
type CursorListResponse<Item extends z.ZodType> = ResponseInPages<
  CursorListReply<z.input<Item>>,
  { readonly items: readonly z.input<Item>[]; readonly nextCursor: string; readonly hasMore: boolean }
>;

/** Declares a list that is walked by a cursor. */
export const cursorListResponse = <Item extends z.ZodType>(item: Item): CursorListResponse<Item> => ({
  kind: 'cursorList',
  httpStatus: 200,
  async read({ page }, { data, owner, path, cursors, charge }) {
    const { pageSize = defaultPage, cursor, pageToken, ...filters } = data as CursorPaging;
    const scope = { owner, path, filters };
    const token = cursor ?? pageToken;
    const member = cursor === undefined ? 'pageToken' : 'cursor';
    const after = token === undefined ? undefined : (await cursors()).read(scope, token, member);
    const { items, next } = await readWithin(
      charge,
      { rows: pageSize, bytes: maxResponseBytes },
      (limit) => page(after, limit),
      ({ cut }) => cut,
    );
    for (const one of items) check(path, item, one);
    const nextCursor = next === undefined ? '' : (await cursors()).write(scope, next);
    const result = { items, nextCursor, hasMore: next !== undefined };
    return { first: [JSON.stringify({ result })], rest: undefined };
  },
  bodySchema: (name) =>
    within(name, item, (items) => {
      const nextCursor = {
        type: 'string',
        description: 'Send it as cursor for the next page; empty at the end.',
      };
      const members = { items: { type: 'array', items }, nextCursor, hasMore: { type: 'boolean' } };
      return objectSchema({ result: objectSchema(members) });
    }),
});
