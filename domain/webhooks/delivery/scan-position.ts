/*
 * Consumed rows leave dead index entries, which PostgreSQL keeps as long as any snapshot may need the rows. A poll from
 * the beginning of the index reads all of them. So most polls begin at a position that was consumed 1 s ago. A whole
 * scan finds rows added before it: those of longer transactions, and expired claims.
 */

/** The polls of one turn over one index, in its order. Times are on the clock of `performance.now()`. */
export interface ScanPosition<Position> {
  /** Start of the next poll, inclusive. Undefined: the beginning of the index. */
  readonly from: Position | undefined;
  /** The position that had been reached at `markedAt`; it becomes `from` after `lagMs`. */
  readonly mark: Position | undefined;
  readonly markedAt: number;
  /** From this time on, polls begin at the beginning of the index. */
  readonly wholeAt: number;
}

/** Rows added by transactions of this length are found without a whole scan. */
const lagMs = 1_000;

/** A whole scan is due after 20 times its duration, at most `maxMs`. */
const wholeScans = { factor: 20, maxMs: 3_000 } as const;

export const initialScan: ScanPosition<never> = { from: undefined, mark: undefined, markedAt: 0, wholeAt: 0 };

/** Returns the start of a poll now. Undefined: a whole scan. */
export const scanFrom = <Position>(
  { from, wholeAt }: ScanPosition<Position>,
  now: number,
): Position | undefined => (now >= wholeAt ? undefined : from);

/** Returns the state after a poll that began at `from` and reached `last`; `last` is undefined when it found nothing. */
export function scanned<Position>(
  scan: ScanPosition<Position>,
  poll: {
    readonly from: Position | undefined;
    readonly last: Position | undefined;
    readonly startedAt: number;
    readonly endedAt: number;
  },
): ScanPosition<Position> {
  const { startedAt, endedAt, last } = poll;
  const pauseMs = Math.min((endedAt - startedAt) * wholeScans.factor, wholeScans.maxMs);
  const wholeAt = poll.from === undefined ? endedAt + pauseMs : scan.wholeAt;
  if (last === undefined || startedAt - scan.markedAt < lagMs) return { ...scan, wholeAt };
  return { from: scan.mark, mark: last, markedAt: startedAt, wholeAt };
}
