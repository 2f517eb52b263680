/** Returns the first `max` items, and whether another one follows. Reads no further. */
export function firstOf<Item>(
  items: Iterable<Item>,
  max: number,
): { readonly taken: readonly Item[]; readonly cut: boolean } {
  const taken: Item[] = [];
  for (const item of items) {
    if (taken.length === max) return { taken, cut: true };
    taken.push(item);
  }
  return { taken, cut: false };
}
