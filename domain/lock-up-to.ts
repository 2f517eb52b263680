/** Rows that a call locked. */
export interface LockedRows<Row> {
  readonly rows: readonly Row[];
  /** Whether more than the limit matched before the lock. */
  readonly more: boolean;
}

/** A row of a statement that picks rows and then locks them; null when a concurrent call changed or deleted all of them. */
export interface MatchingRow<Row> {
  /** Rows that matched before the lock, at most the limit of the statement. */
  readonly matched: number;
  readonly row: Row | null;
}

/**
 * Locks up to `max` rows by `lock`, a statement with a limit. Repeats it while rows match but none is locked, so the
 * result is empty only when no row matches.
 */
export async function lockUpTo<Row>(
  max: number,
  lock: (limit: number) => Promise<readonly MatchingRow<Row>[]>,
): Promise<LockedRows<Row>> {
  for (;;) {
    const found = await lock(max + 1);
    const rows = found.flatMap(({ row }) => row ?? []);
    const matched = found[0]?.matched ?? 0;
    if (rows.length > 0 || matched === 0) return { rows: rows.slice(0, max), more: matched > max };
  }
}
