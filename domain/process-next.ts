/** Kinds of rows that are not processed yet, and the cursor in the first of them. */
export interface Remaining<Kind> {
  readonly kinds: readonly Kind[];
  readonly after: readonly string[] | null;
}

/**
 * Processes the next batches in the caller's transaction: up to a batch with more than `few` records or with rows after
 * it. `act` returns the number of records and the cursor of the last one; null at the end. Returns the remaining kinds.
 */
export async function processNext<Kind>(
  { kinds, after }: Remaining<Kind>,
  few: number,
  act: (
    kind: Kind,
    after: readonly string[] | null,
  ) => Promise<{ readonly records: number; readonly last: readonly string[] | null }>,
): Promise<Remaining<Kind>> {
  for (const [at, kind] of kinds.entries()) {
    const { records, last } = await act(kind, at === 0 ? after : null);
    if (last !== null) return { kinds: kinds.slice(at), after: last };
    if (records > few) return { kinds: kinds.slice(at + 1), after: null };
  }
  return { kinds: [], after: null };
}
