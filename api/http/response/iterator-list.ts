import { z } from 'zod';
import type { PageLimit } from '../../../domain/page-limit.ts';
import { resourceName } from '../../openapi/components.ts';
import type { JsonSchema } from '../../openapi/json-schema.ts';
import { integer } from '../../schemas.ts';
import { check, envelope, envelopeSchema, objectSchema, type Enveloped } from './envelope.ts';
import { maxResponseBytes, pageSizeText, type Position } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

/** Paging members of a request. */
export const iteratorPaging = {
  limit: integer(1, 250).default(50).describe(pageSizeText()),
  iterator: z
    .string()
    .optional()
    .describe(
      'Position of the page: `iterator` or `prevIterator` of an earlier response. Absent for the first page.',
    ),
};

/** Paging members of a request; the other members are filters. */
interface IteratorPaging {
  readonly limit: number;
  readonly iterator?: string | undefined;
}

/** A page of a list and the positions of its neighbors. A position includes its direction. */
export interface IteratorPage<Item> {
  readonly items: readonly Item[];
  readonly next: Position | undefined;
  readonly previous: Position | undefined;
  /** The byte limit ended the page. */
  readonly cut?: boolean;
}

/** The reply of a handler with an `IteratorListResponse`. */
export interface IteratorListReply<Item> {
  readonly message: string;
  readonly readPage: (from: Position | undefined, limit: PageLimit) => Promise<IteratorPage<Item>>;
}

/** `iterator` reads the next page, `prevIterator` the previous one. `done` is true exactly when `iterator` is null. */
type IteratorList<Item, Member extends string> = Readonly<Record<Member, readonly Item[]>> & {
  readonly iterator: string | null;
  readonly prevIterator: string | null;
  readonly done: boolean;
};

/** A list that can be read in both directions: `data` is `{<member>, iterator, prevIterator, done}`. */
type IteratorListResponse<Item extends z.ZodType, Member extends string> = ResponseInPages<
  IteratorListReply<z.input<Item>>,
  Enveloped<{ readonly data: IteratorList<z.input<Item>, Member> }>
>;

/** Declares a list that is read page by page in both directions. `member` names the array of items. */
export const iteratorListResponse = <Item extends z.ZodType, const Member extends string>(
  member: Member,
  item: Item,
): IteratorListResponse<Item, Member> => ({
  kind: 'iteratorList',
  httpStatus: 200,
  client: 'iteratorList',
  itemsAt: ['properties', 'data', 'properties', member],
  isFurtherPage: (data) => (data as IteratorPaging).iterator !== undefined,
  async read({ message, readPage }, { data, owner, path, cursors, charge }) {
    const { limit, iterator, ...filters } = data as IteratorPaging;
    const scope = { owner, path, filters };
    const from = iterator === undefined ? undefined : (await cursors()).read(scope, iterator, 'iterator');
    const { items, next, previous } = await readWithin(
      charge,
      { rows: limit, bytes: maxResponseBytes },
      (pageLimit) => readPage(from, pageLimit),
      ({ cut = false }) => cut,
    );
    for (const one of items) check(path, item, one);
    const list = {
      [member]: items,
      iterator: next === undefined ? null : (await cursors()).write(scope, next),
      prevIterator: previous === undefined ? null : (await cursors()).write(scope, previous),
      done: next === undefined,
    };
    return { first: [envelope(message, list)], rest: undefined };
  },
  bodySchema(name, components) {
    const items = components.of(item, 'response');
    const data = objectSchema({
      [member]: { type: 'array', description: 'The records of this page.', items },
      iterator: iteratorSchema('next'),
      prevIterator: iteratorSchema('previous'),
      done: { type: 'boolean', description: 'True exactly when `iterator` is null.' },
    });
    const resource = resourceName(item);
    return components.add(
      resource === undefined ? name : `${resource}Page`,
      envelopeSchema({ data: { description: 'One page of the list.', ...data } }),
    );
  },
});

const iteratorSchema = (page: string): JsonSchema => ({
  type: ['string', 'null'],
  description: `Send this value as \`iterator\` to read the ${page} page. Null when there is none.`,
});
