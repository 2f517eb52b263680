import { mebibyte } from '../../../platform/units.ts';
import type { PageLimit } from '../../../domain/page-limit.ts';
import type { CursorScope } from './cursor.ts';
import { openedEnvelope } from './envelope.ts';
import { bytesOf, type JsonPieces, type ListForm } from './list-form.ts';
import type { Page, PageReader, Position } from './page-reader.ts';
import type { ResponseCharge } from './read-budget.ts';
import { readChunk } from './read-within.ts';
import type { Reading, ResponseChunks } from './response-kind.ts';
import { TransportError } from './transport-error.ts';

/** Max records and bytes per chunk of a streamed list or an export. One socket buffers at most one chunk. */
export const streamedChunk = { rows: 500, bytes: mebibyte / 4 };
/** Max bytes per chunk of a page. */
const pageChunkBytes = mebibyte / 4;
/** Max bytes of a chunk beyond its stored text: ids that the response repeats. */
const viewBytes = 65_536;
const defaultPageSize = 1_000;

/** Paging members of a list request; the other members are filters. */
export interface Paging {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** The end of a page and the form of its token. */
export interface PageForm {
  /** Returns `nextPageToken` as `pageToken` as well, an older spelling of the wire. */
  readonly repeatsPageToken: boolean;
  /** Byte limit of a page: the last record begins before it, or ends before it. */
  readonly pageEnd: { readonly bytes: number; readonly by: 'begin' | 'end' };
}

/** Context for reading a page. */
interface PageContext extends Pick<Reading, 'cursors' | 'charge'> {
  readonly paging: Paging;
  readonly scope: CursorScope;
}

/** Writes the envelope around the chunks of one list. */
interface Writer {
  readonly message: string;
  readonly form: ListForm;
}

/** Responds with a list that is in memory. */
export const complete = (writer: Writer, items: readonly unknown[]): ResponseChunks => ({
  first: [openedEnvelope(writer.message), ...writer.form.next(items), closed(writer, {})],
  rest: undefined,
});

function closed({ form }: Writer, beside: object): string {
  const rest = JSON.stringify(beside).slice(1, -1);
  return `${form.end()}${rest === '' ? '' : `,${rest}`}}}`;
}

/** Streams the whole list in chunks. */
export async function wholeList(
  writer: Writer,
  list: PageReader<unknown>,
  charge: ResponseCharge,
): Promise<ResponseChunks> {
  let rows = streamedChunk.rows;
  const readFollowing = async (after: Page<unknown>['next']): Promise<Page<unknown>> =>
    readChunk(charge, { ...streamedChunk, rows }, (limit) => list(after, limit));
  const chunk = await readFollowing(undefined);
  const first = [openedEnvelope(writer.message), ...writer.form.next(chunk.items)];
  const rowsAfter = (read: Page<unknown>, pieces: JsonPieces): number =>
    // A chunk in which no row matches says nothing about their size.
    read.items.length === 0
      ? rows
      : Math.min(streamedChunk.rows, rowsOfChunk(read, pieces, streamedChunk.bytes));
  rows = rowsAfter(chunk, first);
  if (chunk.next === undefined) return { first: [...first, closed(writer, {})], rest: undefined };
  async function* rest(): AsyncGenerator<JsonPieces> {
    let { next } = chunk;
    while (next !== undefined) {
      const following = await readFollowing(next);
      ({ next } = following);
      const pieces = writer.form.next(following.items);
      rows = rowsAfter(following, pieces);
      yield pieces;
    }
    yield [closed(writer, {})];
  }
  return { first, rest: rest() };
}

/** Reads a page in chunks, so that a large page is never in memory as a whole. */
export async function page(
  writer: Writer,
  list: PageReader<unknown>,
  { pageEnd, repeatsPageToken }: PageForm,
  { paging, scope, cursors, charge }: PageContext,
): Promise<ResponseChunks> {
  const { pageSize = defaultPageSize, pageToken } = paging;
  const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
  const chunk = await readChunk(charge, { rows: pageSize, bytes: pageChunkBytes }, (limit) =>
    list(after, limit),
  );
  const end = async (next: Page<unknown>['next']): Promise<string> => {
    const nextPageToken = next && (await cursors()).write(scope, next);
    const repeated = repeatsPageToken && scope.path.startsWith('/v2/') && nextPageToken !== undefined;
    return closed(writer, { nextPageToken, ...(repeated && { pageToken: nextPageToken }) });
  };
  const first = [openedEnvelope(writer.message), ...writer.form.next(chunk.items)];
  const room = pageEnd.by === 'end' ? pageEnd.bytes - viewBytes : pageEnd.bytes;
  const left = {
    rows: pageSize - chunk.items.length,
    bytes: room - bytesOf(first),
    chunkRows: rowsOfChunk(chunk, first, pageChunkBytes),
  };
  const { next } = chunk;
  if (next === undefined || !chunk.cut || left.rows <= 0 || left.bytes <= 0)
    return { first: [...first, await end(next)], rest: undefined };
  const more = chunksOf(writer, { list, from: next, charge, mayExceed: pageEnd.by === 'begin', ...left });
  async function* rest(): AsyncGenerator<JsonPieces> {
    yield [await end(yield* more)];
  }
  return { first, rest: rest() };
}

interface RestOfPage {
  readonly list: PageReader<unknown>;
  readonly from: Position;
  readonly charge: ResponseCharge;
  /** Records left in the page. */
  readonly rows: number;
  /** Bytes left in the page. */
  readonly bytes: number;
  /** Expected max records of the next chunk. */
  readonly chunkRows: number;
  /** The last record may exceed the bytes left. */
  readonly mayExceed: boolean;
}

/** Yields the further chunks of a page. Returns the position of the next page. */
async function* chunksOf(
  { form }: Writer,
  { list, from, charge, mayExceed, ...left }: RestOfPage,
): AsyncGenerator<JsonPieces, Position | undefined> {
  let { rows, bytes, chunkRows } = left;
  let next: Position | undefined = from;
  let more = true;
  while (more && next !== undefined) {
    const limit = { rows: Math.min(rows, chunkRows), bytes: Math.min(pageChunkBytes, bytes) };
    const largest = mayExceed ? undefined : bytes;
    const reading: Promise<Page<unknown>> = readChunk(charge, limit, readFrom(list, next), largest);
    const chunk: Page<unknown> | undefined = await reading.catch(undefinedIfNoRoom);
    // The next page starts with the record that does not fit, or for which the budget had no room in time.
    if (chunk === undefined || (chunk.items.length === 0 && chunk.cut)) return next;
    const pieces = form.next(chunk.items);
    next = chunk.next;
    rows -= chunk.items.length;
    bytes -= bytesOf(pieces);
    chunkRows = rowsOfChunk(chunk, pieces, pageChunkBytes);
    more = (chunk.cut || chunk.items.length === limit.rows) && rows > 0 && bytes > 0;
    yield pieces;
  }
  return next;
}

/** Returns undefined for UNAVAILABLE, by which the read budget refuses. Rethrows other errors. */
function undefinedIfNoRoom(error: unknown): undefined {
  if (!(error instanceof TransportError) || error.status !== 'UNAVAILABLE') throw error;
  return undefined;
}

/** Twice the records that would fill a chunk at the average size of the last one. Bounds the rows that PostgreSQL reads. */
const rowsOfChunk = ({ items }: Page<unknown>, pieces: JsonPieces, bytes: number): number =>
  8 + Math.ceil((2 * bytes * items.length) / Math.max(1, bytesOf(pieces)));

const readFrom =
  (list: PageReader<unknown>, after: Position) =>
  async (limit: PageLimit): Promise<Page<unknown>> =>
    list(after, limit);
