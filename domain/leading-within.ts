/** The first items whose sizes sum up to at most `max`; at least one, if there is any. */
export function leadingWithin<Item>(
  items: readonly Item[],
  max: number,
  sizeOf: (item: Item) => number,
): readonly Item[] {
  let size = 0;
  const end = items.findIndex((item, index) => (size += sizeOf(item)) > max && index > 0);
  return end === -1 ? items : items.slice(0, end);
}
