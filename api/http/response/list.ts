import { mebibyte, type PageLimit } from '../../../domain/page-limit.ts';
import {
  maxResponseBytes,
  type ListAnswer,
  type ListReply,
  type Page,
  type PageReader,
  type Position,
} from '../answer.ts';
import type { Cursors, CursorScope } from './cursor.ts';
import type { Endpoint } from '../endpoint.ts';
import { groupsForm, itemWriter, listForm, type JsonPieces, type ListForm } from './list-form.ts';
import { TransportError } from './transport-error.ts';
import type { ResponseCharge } from './read-budget.ts';
import { readPart, readWithin } from './read-within.ts';
import { check, envelope } from './serialize.ts';

/** Records and bytes read at a time for a response that holds everything: what one socket buffers at most. */
const streamedPart = { rows: 500, bytes: mebibyte / 4 };
/** Bytes read at a time for one page. */
const pagePart = mebibyte / 4;
/** What the last part of a page may have beyond the bytes of its stored text: ids that a view repeats. */
const viewRoom = 65_536;
const defaultPage = 1_000;

/** What a list request says of paging; the rest of its data are filters. */
export interface Paging {
  readonly pageSize?: number | undefined;
  readonly pageToken?: string | undefined;
}

/** What the body of a list is made with: what was asked for, cursors, and the budget that pays for what is read. */
export interface ListContext {
  readonly paging: Paging;
  readonly scope: CursorScope;
  readonly cursors: () => Promise<Cursors>;
  readonly charge: ResponseCharge;
}

/** A list of which there may be more to read: each call reads and writes the next part, and waits for room to do so. */
export interface ListParts {
  /** What was read first, from the opening of the envelope on; the whole body when `rest` is undefined. */
  readonly first: JsonPieces;
  readonly rest: AsyncGenerator<JsonPieces> | undefined;
}

/** Writes the envelope around the parts of one list. */
interface Writer {
  readonly message: string;
  readonly form: ListForm;
}

/** Reads the first part of a list, and the rest as it is consumed. Throws INVALID_ARGUMENT for a foreign page token. */
export async function listBody(
  endpoint: Endpoint & { readonly answer: ListAnswer },
  reply: ListReply<unknown>,
  context: ListContext,
): Promise<ListParts> {
  const { paging, scope, charge } = context;
  const verify = (item: unknown): void => check(scope.path, endpoint.answer.item, item);
  const plain = listForm(verify, itemWriter(endpoint.answer.writtenMember));
  const writer = { message: reply.message, form: 'groups' in reply ? groupsForm(verify) : plain };
  if ('whole' in reply) {
    const limit = { rows: Number.MAX_SAFE_INTEGER, bytes: maxResponseBytes };
    const items = await readWithin(charge, limit, ({ bytes }) => reply.whole(bytes), isUndefined);
    if (items === undefined) throw reply.tooLarge();
    return complete(writer, items);
  }
  if ('list' in reply && typeof reply.list !== 'function') return complete(writer, reply.list);
  const list = 'list' in reply ? (reply.list as PageReader<unknown>) : reply.groups;
  const paged = paging.pageSize !== undefined || paging.pageToken !== undefined;
  return paged || !endpoint.answer.everythingOn.includes(scope.path)
    ? page(writer, list, endpoint.answer, context)
    : everything(writer, list, charge);
}

const isUndefined = (value: unknown): boolean => value === undefined;

const complete = (writer: Writer, items: readonly unknown[]): ListParts => ({
  first: [opened(writer), ...writer.form.next(items), closed(writer, {})],
  rest: undefined,
});

/** The envelope up to the place of `data`. */
const opened = ({ message }: Writer): string => `${envelope(message, undefined).slice(0, -2)},"data":`;

function closed({ form }: Writer, beside: object): string {
  const rest = JSON.stringify(beside).slice(1, -1);
  return `${form.end()}${rest === '' ? '' : `,${rest}`}}}`;
}

async function everything(
  writer: Writer,
  list: PageReader<unknown>,
  charge: ResponseCharge,
): Promise<ListParts> {
  let rows = streamedPart.rows;
  const read = async (after: Page<unknown>['next']): Promise<Page<unknown>> =>
    readPart(charge, { ...streamedPart, rows }, (limit) => list(after, limit));
  const part = await read(undefined);
  const first = [opened(writer), ...writer.form.next(part.items)];
  rows = Math.min(rows, rowsOfPart(part, first, streamedPart.bytes));
  if (part.next === undefined) return { first: [...first, closed(writer, {})], rest: undefined };
  async function* rest(): AsyncGenerator<JsonPieces> {
    let { next } = part;
    while (next !== undefined) {
      const following = await read(next);
      ({ next } = following);
      const pieces = writer.form.next(following.items);
      rows = Math.min(streamedPart.rows, rowsOfPart(following, pieces, streamedPart.bytes));
      yield pieces;
    }
    yield [closed(writer, {})];
  }
  return { first, rest: rest() };
}

/** A page of many bytes is read in parts as well: it is never in memory as a whole. */
async function page(
  writer: Writer,
  list: PageReader<unknown>,
  { pageEnd, repeatsPageToken }: ListAnswer,
  { paging, scope, cursors, charge }: ListContext,
): Promise<ListParts> {
  const { pageSize = defaultPage, pageToken } = paging;
  const after = pageToken === undefined ? undefined : (await cursors()).read(scope, pageToken);
  const part = await readPart(charge, { rows: pageSize, bytes: pagePart }, (limit) => list(after, limit));
  const end = async (next: Page<unknown>['next']): Promise<string> => {
    const nextPageToken = next && (await cursors()).write(scope, next);
    const repeated = repeatsPageToken && nextPageToken !== undefined;
    return closed(writer, { nextPageToken, ...(repeated && { pageToken: nextPageToken }) });
  };
  const first = [opened(writer), ...writer.form.next(part.items)];
  const room = pageEnd.by === 'end' ? pageEnd.bytes - viewRoom : pageEnd.bytes;
  const left = {
    rows: pageSize - part.items.length,
    bytes: room - bytesOf(first),
    partRows: rowsOfPart(part, first, pagePart),
  };
  const { next } = part;
  if (next === undefined || !part.cut || left.rows <= 0 || left.bytes <= 0)
    return { first: [...first, await end(next)], rest: undefined };
  const more = partsOf(writer, { list, from: next, charge, mayExceed: pageEnd.by === 'begin', ...left });
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
  readonly partRows: number;
  /** Its last record may have more bytes than are left. */
  readonly mayExceed: boolean;
}

/** The further parts of a page; returns where the next page starts. */
async function* partsOf(
  { form }: Writer,
  { list, from, charge, mayExceed, ...left }: RestOfPage,
): AsyncGenerator<JsonPieces, Position | undefined> {
  let { rows, bytes, partRows } = left;
  let next: Position | undefined = from;
  let more = true;
  while (more && next !== undefined) {
    const limit = { rows: Math.min(rows, partRows), bytes: Math.min(pagePart, bytes) };
    const largest = mayExceed ? undefined : bytes;
    const reading: Promise<Page<unknown>> = readPart(charge, limit, readFrom(list, next), largest);
    const part: Page<unknown> | undefined = await reading.catch(undefinedIfNoRoom);
    // A record that does not fit any more begins the next page, and so does one that room was waited for in vain.
    if (part === undefined || (part.items.length === 0 && part.cut)) return next;
    const pieces = form.next(part.items);
    next = part.next;
    rows -= part.items.length;
    bytes -= bytesOf(pieces);
    partRows = rowsOfPart(part, pieces, pagePart);
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
const rowsOfPart = ({ items }: Page<unknown>, pieces: JsonPieces, bytes: number): number =>
  8 + Math.ceil((2 * bytes * items.length) / Math.max(1, bytesOf(pieces)));

const readFrom =
  (list: PageReader<unknown>, after: Position) =>
  async (limit: PageLimit): Promise<Page<unknown>> =>
    list(after, limit);

/** Bytes of the pieces in UTF-8. */
export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0);
