import type { Described } from '../../openapi/json-schema.ts';
import type { Cursors } from './cursor.ts';
import type { JsonPieces } from './list-form.ts';
import type { ResponseCharge } from './read-budget.ts';

/** What every kind of successful response declares. A kind is one file beside this one, and nothing else names it. */
interface ResponseKind<Replied, Result, Mutated> {
  /** For tests that hold for one kind. */
  readonly kind: string;
  readonly httpStatus: 200 | 202;
  /** Headers of its own and their meaning, for the OpenAPI document. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The OpenAPI schema of the body; `name` is for components that only this response has. */
  bodySchema(name: string, mutates: boolean): Described;
  /**
   * For the compiler alone, never set: what the handler returns, and what the client gets from an endpoint that reads and
   * from one that mutates.
   */
  readonly types?: { readonly reply: Replied; readonly result: Result; readonly mutated: Mutated };
}

/** A response that is written at once, by an endpoint that reads or mutates. */
export interface WholeResponse<Replied, Result, Mutated = Result> extends ResponseKind<
  Replied,
  Result,
  Mutated
> {
  /** The body. Throws `ResponseMismatch`; `path` is for its message. */
  write(reply: Replied, path: string): string | Promise<string>;
}

/** A response that is read within the limits of pages, by an endpoint that reads. */
export interface ResponseInPages<Replied, Result> extends ResponseKind<Replied, Result, Result> {
  read(reply: Replied, reading: Reading): Promise<ResponseChunks>;
}

/** What a response is read with: the request, cursors, and the budget that pays for what is read. */
export interface Reading {
  /** Under what name the caller's budgets are kept. */
  readonly owner: string;
  readonly path: string;
  /** Of the request; a kind of response knows its own members for paging, and the others are filters. */
  readonly data: unknown;
  readonly cursors: () => Promise<Cursors>;
  readonly charge: ResponseCharge;
}

/** A body of which there may be more to read: each turn of `rest` reads and writes a part, and waits for room to do so. */
export interface ResponseChunks {
  /** The whole body when `rest` is undefined. */
  readonly first: JsonPieces;
  readonly rest: AsyncGenerator<JsonPieces> | undefined;
}

/** Beside the body of a whole response. */
export interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** What went wrong may go well the next time: an Idempotency-Key is given back instead of keeping this answer. */
  readonly transient?: boolean;
}

/** Every kind of successful response. */
export type AnyResponse = WholeResponse<unknown, unknown, unknown> | ResponseInPages<unknown, unknown>;

/** What a handler of an endpoint with that answer returns. */
export type Reply<Response extends AnyResponse> = NonNullable<Response['types']>['reply'];
