import { z } from 'zod';
import type { Outcomes } from '../../domain/batch.ts';
import type { ItemFailure } from '../../domain/errors.ts';
import { mebibyte, type PageLimit } from '../../domain/page-limit.ts';

export type { ItemFailure } from '../../domain/errors.ts';

/** Members beside `status`, `message` and `data`. */
export const extras = {
  jobId: z.string().optional(),
  deletedCount: z.int().optional(),
  documentIds: z.array(z.string()).optional(),
};

/** Values of `extras`. */
export type Extras = { readonly [Name in keyof typeof extras]?: z.output<(typeof extras)[Name]> };

/** `data` is one value. */
export interface DataAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'data';
  readonly schema: Schema;
}
/** Work that was accepted and goes on after the answer: status 202, and `{status, message, data, statusCode}` without an envelope. */
export interface AcceptedAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'accepted';
  readonly schema: Schema;
}
/** A message without `data`. */
export interface MessageAnswer {
  readonly kind: 'message';
}
/** `data` maps each id of the request to how it went. */
export interface BatchAnswer<Item extends z.ZodRawShape = z.ZodRawShape> {
  readonly kind: 'batch';
  readonly item: z.ZodObject<Item>;
  readonly members: Item;
}
/** Bytes after which a page ends, and which no other response of a read has more of. */
export const maxResponseBytes = 10 * mebibyte;

/** `data` is a list, answered whole, by pages, or streamed. */
export interface ListAnswer<
  Item extends z.ZodType = z.ZodType,
  GroupedBy extends string | undefined = string | undefined,
> {
  readonly kind: 'list';
  readonly item: Item;
  /** Paths that answer everything when no `pageSize` is sent; the others a page of 1,000. */
  readonly everythingOn: readonly string[];
  /** Repeats `nextPageToken` as `pageToken`, an older spelling of the wire. */
  readonly repeatsPageToken: boolean;
  /** Some requests are answered by a map of such lists instead: what its keys are, for the reference. */
  readonly groupedBy: GroupedBy;
  /** A member that holds JSON, as text or as bytes, which goes out as it stands: content that was checked when it was written. */
  readonly writtenMember: string | undefined;
  /** Behind so many bytes no record of a page begins, or none ends. */
  readonly pageEnd: { readonly bytes: number; readonly by: 'begin' | 'end' };
}

/** `result` is `{items, nextCursor, hasMore}` and nothing else; the request's members are `cursorPaging`. */
export interface CursorListAnswer<Item extends z.ZodType = z.ZodType> {
  readonly kind: 'cursorList';
  readonly item: Item;
}

/**
 * `data` is `{<member>, iterator, prevIterator, done}`: a list that can be walked in both directions; the request's members
 * are `iteratorPaging`.
 */
export interface IteratorListAnswer<Item extends z.ZodType = z.ZodType, Member extends string = string> {
  readonly kind: 'iteratorList';
  readonly item: Item;
  /** Under what name the items stand. */
  readonly member: Member;
}

/** `data` is one value that holds several lists; a page goes on in all of them. The request's member is `pageToken`. */
export interface PagedAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'paged';
  readonly schema: Schema;
}

/** `result` is the value and nothing else. */
export interface ResultAnswer<Schema extends z.ZodType = z.ZodType> {
  readonly kind: 'result';
  readonly schema: Schema;
  /** What the headers tell that go with it, by their names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Every form of a successful response. */
export type AnyAnswer =
  | DataAnswer
  | AcceptedAnswer
  | MessageAnswer
  | BatchAnswer
  | ListAnswer
  | CursorListAnswer
  | IteratorListAnswer
  | PagedAnswer
  | ResultAnswer;

/** Declares a response of one value. */
export const dataAnswer = <Schema extends z.ZodType>(schema: Schema): DataAnswer<Schema> => ({
  kind: 'data',
  schema,
});

/** Declares a response of status 202. */
export const acceptedAnswer = <Schema extends z.ZodType>(schema: Schema): AcceptedAnswer<Schema> => ({
  kind: 'accepted',
  schema,
});

/** The HTTP status of a success. */
export const successStatus = ({ kind }: AnyAnswer): 200 | 202 => (kind === 'accepted' ? 202 : 200);

/** Declares one value that is read page by page. */
export const pagedAnswer = <Schema extends z.ZodType>(schema: Schema): PagedAnswer<Schema> => ({
  kind: 'paged',
  schema,
});

/** Declares a response without `data`. */
export const messageAnswer: MessageAnswer = { kind: 'message' };

/** Declares a response whose `result` is the value itself, and the headers that go with it. */
export const resultAnswer = <Schema extends z.ZodType>(
  schema: Schema,
  headers: ResultAnswer['headers'] = {},
): ResultAnswer<Schema> => ({ kind: 'result', schema, headers });

const itemCodes = [
  'not-found',
  'already-exists',
  'failed-precondition',
  'invalid-argument',
  'permission-denied',
  'internal',
] as const satisfies readonly ItemFailure[];

/** `{success, id, message, code?}` and the members named; those are absent from items that failed. */
export function batchAnswer<Item extends z.ZodRawShape = Record<never, never>>(
  members: Item = {} as Item,
): BatchAnswer<Item> {
  const item = z.strictObject({
    success: z.boolean(),
    id: z.string(),
    message: z.string(),
    code: z.enum(itemCodes).optional(),
    ...z.object(members).partial().shape,
  }) as unknown as z.ZodObject<Item>;
  return { kind: 'batch', item, members };
}

/** Declares a list. `everythingOn`: paths on which it is streamed whole where no page is asked for. */
export function listAnswer<Item extends z.ZodType, GroupedBy extends string | undefined = undefined>(
  item: Item,
  options: {
    everythingOn: readonly string[];
    repeatsPageToken?: boolean;
    groupedBy?: GroupedBy;
    writtenMember?: keyof z.output<Item> & string;
    pageEnd?: ListAnswer['pageEnd'];
  },
): ListAnswer<Item, GroupedBy> {
  return {
    kind: 'list',
    item,
    everythingOn: options.everythingOn,
    repeatsPageToken: options.repeatsPageToken ?? false,
    groupedBy: options.groupedBy as GroupedBy,
    writtenMember: options.writtenMember,
    pageEnd: options.pageEnd ?? { bytes: maxResponseBytes, by: 'end' },
  };
}

/** Declares a list that is walked by a cursor. */
export const cursorListAnswer = <Item extends z.ZodType>(item: Item): CursorListAnswer<Item> => ({
  kind: 'cursorList',
  item,
});

/** Declares a list that is walked by an iterator, in both directions. */
export const iteratorListAnswer = <Item extends z.ZodType, const Member extends string>(
  member: Member,
  item: Item,
): IteratorListAnswer<Item, Member> => ({ kind: 'iteratorList', item, member });

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

/** Of a `DataAnswer` or an `AcceptedAnswer`. */
export interface DataReply<Data> {
  readonly message: string;
  readonly data: Data;
  readonly extras?: Extras;
}
/** Of a `MessageAnswer`. */
export interface MessageReply {
  readonly message: string;
  readonly extras?: Extras;
}
/** Of a `ResultAnswer`. */
export interface ResultReply<Result> {
  readonly result: Result;
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong may go well the next time: an Idempotency-Key is given back instead of keeping this answer. */
  readonly passing?: boolean;
}
/** Of a `BatchAnswer`. */
export interface BatchReply {
  readonly message: string;
  readonly items: Outcomes;
  readonly extras?: Extras;
}
/** A list that may end at a page. */
export interface PlainListReply<Item> {
  readonly message: string;
  /** Either a reader of pages, or the few items that the handler knows already. */
  readonly list: readonly Item[] | PageReader<Item>;
}
/** A list that is never cut. */
export interface WholeReply<Item> {
  readonly message: string;
  /** Undefined when it has more than `maxBytes` bytes. */
  readonly whole: (maxBytes: number) => Promise<readonly Item[] | undefined>;
  /** The refusal of a list of more than 10 MiB. */
  readonly tooLarge: () => Error;
}
/** An item and the key under which its list stands. */
export interface Grouped<Item> {
  readonly group: string;
  readonly item: Item;
}
/** A list of lists by their keys. */
export interface GroupedReply<Item> {
  readonly message: string;
  /** Items of one group follow each other; a page may end within a group, which the next one then goes on with. */
  readonly groups: PageReader<Grouped<Item>>;
}
/** Of a `CursorListAnswer`. */
export interface CursorListReply<Item> {
  readonly page: PageReader<Item>;
}
/** A part of a list, and the positions from which its neighbours are read; a position says itself in which direction. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  readonly next: Position | undefined;
  readonly previous: Position | undefined;
  /** Bytes ended it. */
  readonly cut?: boolean;
}
/** Of an `IteratorListAnswer`. */
export interface IteratorListReply<Item> {
  readonly message: string;
  readonly stretch: (from: Position | undefined, limit: PageLimit) => Promise<Stretch<Item>>;
}
/** Of a `PagedAnswer`. */
export interface PagedReply<Data> {
  readonly message: string;
  readonly page: (
    after: Position | undefined,
    maxBytes: number,
  ) => Promise<{ readonly data: Data; readonly next: Position | undefined; readonly cut: boolean }>;
}
/** Grouped only where the answer says what by. */
export type ListReply<Item> = PlainListReply<Item> | WholeReply<Item> | GroupedReply<Item>;

/** What a handler of an endpoint with that answer returns. */
export type Reply<Answer extends AnyAnswer> = Answer extends
  DataAnswer<infer Schema> | AcceptedAnswer<infer Schema>
  ? DataReply<z.input<Schema>>
  : Answer extends ListAnswer<infer Item>
    ? ListReply<z.input<Item>>
    : Answer extends BatchAnswer
      ? BatchReply
      : Answer extends CursorListAnswer<infer Listed>
        ? CursorListReply<z.input<Listed>>
        : Answer extends IteratorListAnswer<infer Walked>
          ? IteratorListReply<z.input<Walked>>
          : Answer extends PagedAnswer<infer Paged>
            ? PagedReply<z.input<Paged>>
            : Answer extends ResultAnswer<infer Result>
              ? ResultReply<z.input<Result>>
              : Answer extends MessageAnswer
                ? MessageReply
                : never;

/** A `DataReply` in one line. */
export const succeeded = <Data>(message: string, data: Data, extras?: Extras): DataReply<Data> => ({
  message,
  data,
  ...(extras && { extras }),
});
