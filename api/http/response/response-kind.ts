import type { Components } from '../../openapi/components.ts';
import type { JsonSchema } from '../../openapi/json-schema.ts';
import type { Cursors } from './cursor.ts';
import type { JsonPieces } from './list-form.ts';
import type { ResponseCharge } from './read-budget.ts';

/**
 * How the generated client calls an operation: `call` returns the result and `stream` the body unparsed. `pages`
 * iterates over pages, and the lists over items too. A list is named after the paging members of its request;
 * `wholeList` is a `list` that is returned whole without them.
 */
export type ClientForm = 'call' | 'stream' | 'pages' | 'list' | 'wholeList' | 'cursorList' | 'iteratorList';

/** Members that every kind of successful response declares. Each kind is one file in this folder. */
interface ResponseKind<Replied, Result> {
  /** Lets tests select one kind. */
  readonly kind: string;
  readonly httpStatus: 200 | 202;
  /** What the status means, for the OpenAPI document; by default that the request succeeded. */
  readonly statusDescription?: string;
  readonly client: ClientForm;
  /** Path of the array of items in the schema of `result`. Lists need it: the client names the type of an item. */
  readonly itemsAt?: readonly string[] | undefined;
  /** Media types of the body; by default JSON. */
  readonly mediaTypes?: readonly string[];
  /** Response headers and their descriptions, for the OpenAPI document. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Returns the OpenAPI schema of the body. `name` is that of its component, unless operations share one. */
  bodySchema(name: string, components: Components): JsonSchema;
  /** Types only, never set: the handler's reply and the client's result. */
  readonly types?: { readonly reply: Replied; readonly result: Result };
}

/** A response that is written in one piece, by a reading or mutating endpoint. */
export interface WholeResponse<Replied, Result> extends ResponseKind<Replied, Result> {
  /** Returns the body. Throws `ResponseMismatch`, whose message names `path`. */
  write(reply: Replied, path: string): string | Promise<string>;
}

/** A response that is read within page limits, by a reading endpoint. */
export interface ResponseInPages<Replied, Result> extends ResponseKind<Replied, Result> {
  read(reply: Replied, reading: Reading): Promise<ResponseChunks>;
  /** Throws INVALID_ARGUMENT for a page token of another list, before the handler reads anything. */
  checkPageToken?(reading: Omit<Reading, 'charge'>): Promise<void>;
  /** Returns whether the request continues a list. The audit log has one entry for all pages of a list. */
  isFurtherPage?(data: unknown): boolean;
}

/** Context for reading a response: the request, cursors and the charge for the bytes read. */
export interface Reading {
  /** Names the caller in cursors; see `ownerOf`. */
  readonly owner: string;
  readonly path: string;
  /** Data of the request. Each kind knows its paging members; the other members are filters. */
  readonly data: unknown;
  readonly cursors: () => Promise<Cursors>;
  readonly charge: ResponseCharge;
}

/** A body of one or more chunks. `rest` reads each further chunk, and waits for the read budget first. */
export interface ResponseChunks {
  /** The whole body if `rest` is undefined. */
  readonly first: JsonPieces;
  readonly rest: AsyncGenerator<JsonPieces> | undefined;
  /** The `Content-Type`, where it is not JSON. */
  readonly mediaType?: string;
}

/** Optional members of a reply. */
export interface ReplyOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** The failure is transient: the Idempotency-Key is released instead of storing this response. */
  readonly transient?: boolean;
}

/** Every kind of successful response. */
export type AnyResponse = WholeResponse<unknown, unknown> | ResponseInPages<unknown, unknown>;

/** The reply of a handler with this response. */
export type Reply<Response extends AnyResponse> = NonNullable<Response['types']>['reply'];
