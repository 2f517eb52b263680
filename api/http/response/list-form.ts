/** Consecutive pieces of JSON: text, or bytes of stored JSON that are sent unchanged. */
export type JsonPieces = readonly (string | Buffer)[];

/** Returns the bytes of the pieces in UTF-8. */
export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0);

/** An item and the key of its list. */
export interface Grouped<Item> {
  readonly group: string;
  readonly item: Item;
}

/** Writes the items of one response, chunk by chunk, as the JSON of its `data`. */
export interface ListForm {
  /** Validates the items and writes them after those already written. */
  next(items: readonly unknown[]): JsonPieces;
  end(): string;
}

/** Writes items as a JSON array without its brackets. Returns no pieces when there are no items. */
export type WriteItems = (items: readonly unknown[]) => JsonPieces;

const writePlain: WriteItems = (items) => (items.length === 0 ? [] : [JSON.stringify(items).slice(1, -1)]);

/** Writes objects whose member `name` holds JSON. */
function writeAround(name: string): WriteItems {
  const opened = `{${JSON.stringify(name)}:`;
  const write = (
    { [name]: written, ...rest }: Readonly<Record<string, unknown>>,
    index: number,
  ): JsonPieces => {
    if (typeof written !== 'string' && !Buffer.isBuffer(written))
      throw new Error(`response member ${name} is neither text nor bytes`);
    const beside = JSON.stringify(rest).slice(1);
    return [`${index === 0 ? '' : ','}${opened}`, written, `${beside === '}' ? '' : ','}${beside}`];
  };
  return (items) => (items as readonly Readonly<Record<string, unknown>>[]).flatMap(write);
}

/** Returns the writer of items, of which one member may hold JSON. */
export const itemWriter = (jsonMember: string | undefined): WriteItems =>
  jsonMember === undefined ? writePlain : writeAround(jsonMember);

/** Writes a list of items. */
export function listForm(verify: (item: unknown) => void, write: WriteItems): ListForm {
  let before = '';
  let opening = '[';
  return {
    next(items) {
      for (const item of items) verify(item);
      const written = write(items);
      const pieces = written.length === 0 ? [opening] : [`${opening}${before}`, ...written];
      opening = '';
      if (written.length > 0) before = ',';
      return pieces;
    },
    end: () => ']',
  };
}

/** Writes lists by their group keys. Writes text, because a built object would lose an own key `__proto__`. */
export function groupsForm(verify: (item: unknown) => void): ListForm {
  let open: string | undefined;
  let opening = '{';
  return {
    next(items) {
      let text = opening;
      opening = '';
      for (const { group, item } of items as readonly Grouped<unknown>[]) {
        verify(item);
        const written = JSON.stringify(item);
        const closed = open === undefined ? '' : '],';
        text += group === open ? `,${written}` : `${closed}${JSON.stringify(group)}:[${written}`;
        open = group;
      }
      return [text];
    },
    end: () => (open === undefined ? '}' : ']}'),
  };
}
