import { z } from 'zod';
import type { PageLimit } from '../../../domain/page-limit.ts';
import type { JsonSchema } from '../../openapi/json-schema.ts';
import { integer } from '../../schemas.ts';
import { check, envelope, envelopeSchema, objectSchema, within, type Enveloped } from './envelope.ts';
import { maxResponseBytes, type Position } from './page-reader.ts';
import { readWithin } from './read-within.ts';
import type { ResponseInPages } from './response-kind.ts';

/** Members of the request. */
export const iteratorPaging = {
  limit: integer(1, 250).default(50),
  iterator: z.string().optional(),
};

/** What a request says of its page; the rest of its data are filters. */
interface IteratorPaging {
  readonly limit?: number | undefined;
  readonly iterator?: string | undefined;
}

const defaultLimit = 50;

/** A part of a list, and the positions from which its neighbours are read; a position says itself in which direction. */
export interface IteratorPage<Item> {
  readonly items: readonly Item[];
  readonly next: Position | undefined;
  readonly previous: Position | undefined;
  /** Bytes ended it. */
  readonly cut?: boolean;
}

/** Of an `IteratorListResponse`. */
export interface IteratorListReply<Item> {
  readonly message: string;
  readonly readPage: (from: Position | undefined, limit: PageLimit) => Promise<IteratorPage<Item>>;
}

/** `iterator` leads to what follows, `prevIterator` to what is before; `done` is true exactly when the first is null. */
type IteratorList<Item, Member extends string> = Readonly<Record<Member, readonly Item[]>> & {
  readonly iterator: string | null;
  readonly prevIterator: string | null;
  readonly done: boolean;
};

/** `data` is `{<member>, iterator, prevIterator, done}`: a list that can be walked in both directions. */
type IteratorListResponse<Item extends z.ZodType, Member extends string> = ResponseInPages<
  IteratorListReply<z.input<Item>>,
  Enveloped<{ readonly data: IteratorList<z.input<Item>, Member> }>
>;

/** Declares a list that is walked by an iterator, in both directions; its items stand under the name of `member`. */
export const iteratorListResponse = <Item extends z.ZodType, const Member extends string>(
  member: Member,
  item: Item,
): IteratorListResponse<Item, Member> => ({
  kind: 'iteratorList',
  httpStatus: 200,
  async read({ message, readPage }, { data, owner, path, cursors, charge }) {
    const { limit = defaultLimit, iterator, ...filters } = data as IteratorPaging;
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
  bodySchema: (name) =>
    within(name, item, (items) => {
      const data = objectSchema({
        [member]: { type: 'array', items },
        iterator: iteratorSchema('that follow'),
        prevIterator: iteratorSchema('before these'),
        done: { type: 'boolean', description: 'True exactly when iterator is null.' },
      });
      return envelopeSchema({ data });
    }),
});

const iteratorSchema = (where: string): JsonSchema => ({
  type: ['string', 'null'],
  description: `Send it as iterator for the items ${where}; null when there are none.`,
});
