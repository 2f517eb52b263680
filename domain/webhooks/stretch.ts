/** A place in a list: the values of the columns that it is ordered by, as text. */
export type Key = readonly string[];

/**
 * Where a part of a list begins: `from` takes what stands at the key and after it, `before` what stands before it. The two
 * are complements, so that walking on and back misses nothing and repeats nothing, whatever was added meanwhile.
 */
export type StretchStart = readonly [direction: 'from' | 'before', ...key: string[]];

/** A part of a list in its order, and where its neighbours begin. */
export interface Stretch<Item> {
  readonly items: readonly Item[];
  /** Undefined at the end. */
  readonly next: StretchStart | undefined;
  /** Undefined at the beginning. */
  readonly previous: StretchStart | undefined;
  /** Bytes ended it. */
  readonly cut?: boolean;
}

export interface Walk<Row> {
  /** In the direction of the walk, at most one more than asked for. */
  readonly rows: readonly Row[];
  /** Where a walk goes on that was stopped because it had looked at enough rows. */
  readonly stoppedAt?: Key | undefined;
  /** It was stopped by bytes. */
  readonly cut?: boolean;
}

/** Reads rows from a key on, or, when `backward`, those before it, the nearest first. */
export type WalkReader<Row> = (walk: {
  readonly backward: boolean;
  readonly key: Key | undefined;
  readonly count: number;
}) => Promise<Walk<Row>>;

/** The part of a list that begins at `start`, or at the list's own beginning. */
export async function stretchOf<Row>(
  start: StretchStart | undefined,
  limit: number,
  read: WalkReader<Row>,
  keyOf: (row: Row) => Key,
): Promise<Stretch<Row>> {
  const [direction, ...key] = start ?? ['from'];
  const backward = direction === 'before';
  const {
    rows,
    stoppedAt,
    cut = false,
  } = await read({
    backward,
    key: start === undefined ? undefined : key,
    count: limit + 1,
  });
  const page = rows.slice(0, limit);
  // Onward begins with the first row that did not fit; back ends before the last one that did.
  const boundary = rows.length > limit ? rows[backward ? limit - 1 : limit] : undefined;
  const edge = boundary === undefined ? stoppedAt : keyOf(boundary);
  const onward = edge && ([backward ? 'before' : 'from', ...edge] as const);
  const back = start && ([backward ? 'from' : 'before', ...key] as const);
  return backward
    ? { items: page.toReversed(), next: back, previous: onward, cut }
    : { items: page, next: onward, previous: back, cut };
}

/** The same with each row as `view` shows it. */
export function shown<Row, Item>(stretch: Stretch<Row>, view: (row: Row) => Item): Stretch<Item> {
  return { ...stretch, items: stretch.items.map(view) };
}
