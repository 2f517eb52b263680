/** The values of the columns that order a list, as text. */
export type SortKey = readonly string[];

/**
 * `from` starts a page at the key, `before` ends it before the key. The two are complements: paging in both directions
 * skips and repeats no row, even when rows are inserted between two calls.
 */
export type PageCursor = readonly [direction: 'from' | 'before', ...key: string[]];

/** A page in the list's order, and the cursors of its neighbors. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Undefined on the last page. */
  readonly next: PageCursor | undefined;
  /** Undefined on the first page. */
  readonly previous: PageCursor | undefined;
  /** The page is short because it reached its limit of bytes. */
  readonly cut?: boolean;
}

/** Rows from a key on, or, when `backward`, rows before it, nearest first. */
export interface ScanRequest {
  readonly backward: boolean;
  readonly key: SortKey | undefined;
  readonly count: number;
}

export interface Scan<Row> {
  /** In the direction of the scan, at most `count`. */
  readonly rows: readonly Row[];
  /** Where to continue a scan that reached its limit of examined rows. */
  readonly stoppedAt?: SortKey | undefined;
  /** The scan reached its limit of bytes. */
  readonly cut?: boolean;
}

export type ScanReader<Row> = (scan: ScanRequest) => Promise<Scan<Row>>;

/** Reads the page at the cursor, or the first page. */
export async function readPage<Row>(
  cursor: PageCursor | undefined,
  limit: number,
  read: ScanReader<Row>,
  keyOf: (row: Row) => SortKey,
): Promise<ListPage<Row>> {
  const [direction, ...key] = cursor ?? ['from'];
  const backward = direction === 'before';
  const {
    rows,
    stoppedAt,
    cut = false,
  } = await read({
    backward,
    key: cursor === undefined ? undefined : key,
    count: limit + 1,
  });
  const page = rows.slice(0, limit);
  // The next page starts at the first row that did not fit; the previous one ends before the last row that did.
  const boundary = rows.length > limit ? rows[backward ? limit - 1 : limit] : undefined;
  const edge = boundary === undefined ? stoppedAt : keyOf(boundary);
  const onward = edge && ([backward ? 'before' : 'from', ...edge] as const);
  const back = cursor && ([backward ? 'from' : 'before', ...key] as const);
  return backward
    ? { items: page.toReversed(), next: back, previous: onward, cut }
    : { items: page, next: onward, previous: back, cut };
}

export function mapPage<Row, Item>(page: ListPage<Row>, view: (row: Row) => Item): ListPage<Item> {
  return { ...page, items: page.items.map(view) };
}
