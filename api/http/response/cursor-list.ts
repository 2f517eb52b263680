import { z } from 'zod';
import { integer } from '../../schemas.ts';
import { resourceName } from '../../openapi/components.ts';
import { check, objectSchema, resultSchema } from './envelope.ts';
import { maxResponseBytes, pageSizeText, type PageReader } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

/** Paging members of a request. `pageToken` is an alias of `cursor`. */
export const cursorPaging = {
  pageSize: integer(1, 500).default(50).describe(pageSizeText()),
  cursor: z
    .string()
    .optional()
    .describe('Position of the page: `nextCursor` of the previous response. Absent for the first page.'),
  pageToken: z.string().optional().describe('Alias of `cursor`. Send only one of the two.'),
};

/** Paging members of a request; the other members are filters. At most one of the tokens is sent. */
interface CursorPaging {
  readonly pageSize: number;
  readonly cursor?: string | undefined;
  readonly pageToken?: string | undefined;
}

const tokenOf = ({ cursor, pageToken }: Omit<CursorPaging, 'pageSize'>): string | undefined =>
  cursor ?? pageToken;

/** The reply of a handler with a `CursorListResponse`. */
export interface CursorListReply<Item> {
  readonly page: PageReader<Item>;
}

/** A list in an older form: `result` is `{items, nextCursor, hasMore}`, without status and message. */
type CursorListResponse<Item extends z.ZodType> = ResponseInPages<
  CursorListReply<z.input<Item>>,
  { readonly items: readonly z.input<Item>[]; readonly nextCursor: string; readonly hasMore: boolean }
>;

/** Declares a list that is read page by page with a cursor. */
export const cursorListResponse = <Item extends z.ZodType>(item: Item): CursorListResponse<Item> => ({
  kind: 'cursorList',
  httpStatus: 200,
  client: 'cursorList',
  itemsAt: ['properties', 'items'],
  isFurtherPage: (data) => tokenOf(data as CursorPaging) !== undefined,
  async read({ page }, { data, owner, path, cursors, charge }) {
    const { pageSize, cursor, pageToken, ...filters } = data as CursorPaging;
    const scope = { owner, path, filters };
    const token = tokenOf({ cursor, pageToken });
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
  bodySchema(name, components) {
    const items = components.of(item, 'response');
    const nextCursor = {
      type: 'string',
      description: 'Send this value as `cursor` to read the next page. Empty on the last page.',
    };
    const hasMore = { type: 'boolean', description: 'Whether another page follows.' };
    const list = { type: 'array', description: 'The records of this page.', items };
    const resource = resourceName(item);
    return components.add(
      resource === undefined ? name : `${resource}Page`,
      resultSchema(objectSchema({ items: list, nextCursor, hasMore })),
    );
  },
});
