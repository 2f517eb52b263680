/** The items of lists from which validation has removed some. */
const itemsAsSent = new WeakMap<readonly unknown[], readonly unknown[]>();

/** Returns `kept`, whose items are some of the validated items `sent`. */
export function mergedFrom<Item>(sent: readonly Item[], kept: Item[]): Item[] {
  if (kept.length < sent.length) itemsAsSent.set(kept, sent);
  return kept;
}

/** Returns the validated items of a list in the positions in which they were sent. */
export const asSent = (list: readonly unknown[]): readonly unknown[] => itemsAsSent.get(list) ?? list;
