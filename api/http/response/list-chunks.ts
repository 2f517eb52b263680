import { mebibyte, type PageLimit } from '../../../domain/page-limit.ts';
import type { CursorScope } from './cursor.ts';
import { openedEnvelope } from './envelope.ts';
import { bytesOf, type JsonPieces, type ListForm } from './list-form.ts';
import type { Page, PageReader, Position } from './page-reader.ts';
import type { ResponseCharge } from './read-budget.ts';
import { readChunk } from './read-within.ts';
import type { Reading, ResponseChunks } from './response-kind.ts';
import { TransportError } from './transport-error.ts';

/** Records and bytes read at a time for a response that holds everything: what one socket buffers at most. */
const streamedChunk = { rows: 500, bytes: mebibyte / 4 };
/** Bytes read at a time for one page. */
const pageChunkBytes = mebibyte / 4;
/** What the last part of a page may have beyond the bytes of its stored text: ids that a view repeats. */
const viewRoom = 65_536;
const defaultPage = 1_000;

/** What a list request says of paging; the rest of its data are filters. */
export interface Paging {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** Where a page ends, and how it says where the next one starts. */
export interface PageForm {
  /** Repeats `nextPageToken` as `pageToken`, an older spelling of the wire. */
  readonly repeatsPageToken: boolean;
  /** Behind so many bytes no record of a page begins, or none ends. */
  readonly pageEnd: { readonly bytes: number; readonly by: 'begin' | 'end' };
}

/** What a page is read with. */
interface PageContext extends Pick<Reading, 'cursors' | 'charge'> {
  readonly paging: Paging;
  readonly scope: CursorScope;
}

/** Writes the envelope around the parts of one list. */
interface Writer {
  readonly message: string;
  readonly form: ListForm;
}

/** A list that is in memory. */
export const complete = (writer: Writer, items: readonly unknown[]): ResponseChunks => ({
  first: [openedEnvelope(writer.message), ...writer.form.next(items), closed(writer, {})],
  rest: undefined,
});

function closed({ form }: Writer, beside: object): string {
  const rest = JSON.stringify(beside).slice(1, -1);
  return `${form.end()}${rest === '' ? '' : `,${rest}`}}}`;
}

/** The whole list, read and sent in parts. */
export async function everything(
  writer: Writer,
  list: PageReader<unknown>,
  charge: ResponseCharge,
): Promise<ResponseChunks> {
  let rows = streamedChunk.rows;
  const read = async (after: Page<unknown>['next']): Promise<Page<unknown>> =>
    readChunk(charge, { ...streamedChunk, rows }, (limit) => list(after, limit));
  const part = await read(undefined);
  const first = [openedEnvelope(writer.message), ...writer.form.next(part.items)];
  rows = Math.min(rows, rowsOfChunk(part, first, streamedChunk.bytes));
  if (part.next === undefined) return { first: [...first, closed(writer, {})], rest: undefined };
  async function* rest(): AsyncGenerator<JsonPieces> {
    let { next } = part;
    while (next !== undefined) {
      const following = await read(next);
      ({ next } = following);
      const pieces = writer.form.next(following.items);
      rows = Math.min(streamedChunk.rows, rowsOfChunk(following, pieces, streamedChunk.bytes));
      yield pieces;
    }
    yield [closed(writer, {})];
  }
  return { first, rest: rest() };
}

/** A page of many bytes is read in parts as well: it is never in memory as a whole. */
export async function page(
  writer: Writer,
  list: PageReader<unknown>,
  { pageEnd, repeatsPageToken }: PageForm,
  { paging, scope, cursors, charge }: PageContext,
): Promise<ResponseChunks> {
  const { pageSize = defaultPage, pageToken } = paging;
  const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
  const part = await readChunk(charge, { rows: pageSize, bytes: pageChunkBytes }, (limit) =>
    list(after, limit),
  );
  const end = async (next: Page<unknown>['next']): Promise<string> => {
    const nextPageToken = next && (await cursors()).write(scope, next);
    const repeated = repeatsPageToken && nextPageToken !== undefined;
    return closed(writer, { nextPageToken, ...(repeated && { pageToken: nextPageToken }) });
  };
  const first = [openedEnvelope(writer.message), ...writer.form.next(part.items)];
  const room = pageEnd.by === 'end' ? pageEnd.bytes - viewRoom : pageEnd.bytes;
  const left = {
    rows: pageSize - part.items.length,
    bytes: room - bytesOf(first),
    chunkRows: rowsOfChunk(part, first, pageChunkBytes),
  };
  const { next } = part;
  if (next === undefined || !part.cut || left.rows <= 0 || left.bytes <= 0)
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
  /** What the page may still have. */
  readonly rows: number;
  readonly bytes: number;
  /** Records that the next part is likely to have room for. */
  readonly chunkRows: number;
  /** Its last record may have more bytes than are left. */
  readonly mayExceed: boolean;
}

/** The further parts of a page; returns where the next page starts. */
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
    const part: Page<unknown> | undefined = await reading.catch(undefinedIfNoRoom);
    // A record that does not fit any more begins the next page, and so does one that room was waited for in vain.
    if (part === undefined || (part.items.length === 0 && part.cut)) return next;
    const pieces = form.next(part.items);
    next = part.next;
    rows -= part.items.length;
    bytes -= bytesOf(pieces);
    chunkRows = rowsOfChunk(part, pieces, pageChunkBytes);
    more = (part.cut || part.items.length === limit.rows) && rows > 0 && bytes > 0;
    yield pieces;
  }
  return next;
}

/** The budget refuses with UNAVAILABLE; every other failure is thrown. */
function undefinedIfNoRoom(error: unknown): undefined {
  if (!(error instanceof TransportError) || error.status !== 'UNAVAILABLE') throw error;
  return undefined;
}

/** Twice as many records as would fill a part if they were like the last ones: PostgreSQL need not look at more of them. */
const rowsOfChunk = ({ items }: Page<unknown>, pieces: JsonPieces, bytes: number): number =>
  8 + Math.ceil((2 * bytes * items.length) / Math.max(1, bytesOf(pieces)));

const readFrom =
  (list: PageReader<unknown>, after: Position) =>
  async (limit: PageLimit): Promise<Page<unknown>> =>
    list(after, limit);
