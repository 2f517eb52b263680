import type { z } from 'zod';
import type { Endpoints } from '../api/endpoints.ts';
import type {
  AcceptedAnswer,
  BatchAnswer,
  CursorListAnswer,
  DataAnswer,
  Extras,
  ItemFailure,
  IteratorListAnswer,
  ListAnswer,
  PagedAnswer,
  ResultAnswer,
} from '../api/http/answer.ts';
import type { Credentials } from '../api/http/endpoint.ts';

/** Every operation by its path: the registry of the API, read by its types. */
export type Operations = { [Operation in Endpoints as Operation['paths'][number]]: Operation };

/** The paths that a kind of credentials opens. */
export type PathFor<Kind extends Credentials> = {
  [Path in keyof Operations]: Operations[Path]['credentials'] extends Kind ? Path : never;
}[keyof Operations];

/** Of those, the ones that answer lists. */
export type ListPathFor<Kind extends Credentials> = {
  [Path in PathFor<Kind>]: Operations[Path]['answer'] extends ListAnswer ? Path : never;
}[PathFor<Kind>];

/** What is sent as `data`. */
export type DataOf<Path extends keyof Operations> = z.input<Operations[Path]['data']>;

/** What is answered as `result`; where there is no envelope, the whole answer. */
export type ResultOf<Path extends keyof Operations> =
  Operations[Path]['answer'] extends CursorListAnswer<infer Item>
    ? { readonly items: readonly z.input<Item>[]; readonly nextCursor: string; readonly hasMore: boolean }
    : Operations[Path]['answer'] extends AcceptedAnswer<infer Schema>
      ? {
          readonly status: 'success';
          readonly message: string;
          readonly data: z.input<Schema>;
          readonly statusCode: 202;
        }
      : Operations[Path]['answer'] extends ResultAnswer<infer Result>
        ? z.input<Result>
        : {
            readonly status: 'success';
            readonly message: string;
          } & Answered<Operations[Path]['answer']> &
            (Operations[Path]['mutates'] extends true ? Extras : unknown);

type Answered<Answer> =
  Answer extends DataAnswer<infer Schema>
    ? { readonly data: z.input<Schema> }
    : Answer extends BatchAnswer<infer Members>
      ? { readonly data: Readonly<Record<string, BatchItem<Members>>>; readonly failedCount: number }
      : Answer extends ListAnswer<infer Item, infer GroupedBy>
        ? { readonly data: List<z.input<Item>, GroupedBy>; readonly nextPageToken?: string }
        : Answer extends IteratorListAnswer<infer Walked, infer Member>
          ? { readonly data: IteratorList<z.input<Walked>, Member> }
          : Answer extends PagedAnswer<infer Paged>
            ? { readonly data: z.input<Paged>; readonly nextPageToken?: string }
            : unknown;

/** `iterator` leads to what follows, `prevIterator` to what is before; `done` is true exactly when the first is null. */
type IteratorList<Item, Member extends string> = Readonly<Record<Member, readonly Item[]>> & {
  readonly iterator: string | null;
  readonly prevIterator: string | null;
  readonly done: boolean;
};

/** How one item of a batch went; it has a `code` exactly when it failed. */
type BatchItem<Members extends z.ZodRawShape> = {
  readonly id: string;
  readonly message: string;
} & (
  | ({ readonly success: true; readonly code?: never } & Partial<z.input<z.ZodObject<Members>>>)
  | { readonly success: false; readonly code: ItemFailure }
);

type List<Item, GroupedBy> = GroupedBy extends string
  ? readonly Item[] | Readonly<Record<string, readonly Item[]>>
  : readonly Item[];

export interface CallOptions {
  /** Ends the call, or the wait before its next try, with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** A call that changes nothing may be tried again at will. */
export interface ReadOptions extends CallOptions {
  /** Tries again what failed in passing. */
  readonly retry?: boolean;
}

/** A call that changes something is tried again only under a key, by which it is done once. */
export interface WriteOptions extends CallOptions {
  readonly idempotencyKey?: string;
}

export type OptionsOf<Path extends keyof Operations> = Operations[Path]['mutates'] extends true
  ? WriteOptions
  : ReadOptions;

/** `data` may be left out where nothing in it is required. */
export type CallArguments<Path extends keyof Operations> =
  Record<never, never> extends DataOf<Path>
    ? [data?: DataOf<Path>, options?: OptionsOf<Path>]
    : [data: DataOf<Path>, options?: OptionsOf<Path>];
