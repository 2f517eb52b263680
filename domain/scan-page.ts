/** A page of a scan through rows in the order of an index. */
export interface ScanPage<Found, Position = string> {
  /** What the scan has found in the page; often nothing. */
  readonly found: readonly Found[];
  /** The position of the next page; undefined after the last page. */
  readonly next: Position | undefined;
}

/** Yields what each page of a scan has found, from the start to the end. */
export async function* scanPages<Found, Position>(
  read: (after: Position | undefined) => Promise<ScanPage<Found, Position>>,
): AsyncGenerator<readonly Found[]> {
  let after: Position | undefined;
  do {
    const { found, next } = await read(after);
    yield found;
    after = next;
  } while (after !== undefined);
}
