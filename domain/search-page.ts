/** A page of a search through rows in the order of an index. */
export interface SearchPage<Found, Position = string> {
  /** What the search has found in the page; often nothing. */
  readonly found: readonly Found[];
  /** The position of the next page; undefined after the last page. */
  readonly next: Position | undefined;
}

/** Yields what each page of a search has found, from the start to the end. */
export async function* searchPages<Found, Position>(
  read: (after: Position | undefined) => Promise<SearchPage<Found, Position>>,
): AsyncGenerator<readonly Found[]> {
  let after: Position | undefined;
  do {
    const { found, next } = await read(after);
    yield found;
    after = next;
  } while (after !== undefined);
}
