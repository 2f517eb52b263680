import type { Grouped } from './list.ts';

/** Pieces of JSON, one behind the other: text, or bytes that were JSON already and leave as they are. */
export type JsonPieces = readonly (string | Buffer)[];

/** Bytes of the pieces in UTF-8. */
export const bytesOf = (pieces: JsonPieces): number =>
  pieces.reduce((length, piece) => length + Buffer.byteLength(piece), 0);

/** Writes the items of one answer, page after page, as the JSON of its `data`. */
export interface ListForm {
  /** Checks items and writes them as they follow what was written before. */
  next(items: readonly unknown[]): JsonPieces;
  end(): string;
}

/** Writes items as a list of JSON, without its brackets; no pieces where there are no items. */
export type WriteItems = (items: readonly unknown[]) => JsonPieces;

const writePlain: WriteItems = (items) => (items.length === 0 ? [] : [JSON.stringify(items).slice(1, -1)]);

/** Writes objects whose member `name` is JSON already. */
function writeAround(name: string): WriteItems {
  const opened = `{${JSON.stringify(name)}:`;
  const write = (
    { [name]: written, ...rest }: Readonly<Record<string, unknown>>,
    place: number,
  ): JsonPieces => {
    if (typeof written !== 'string' && !Buffer.isBuffer(written))
      throw new Error(`${name} of an answer is no JSON.`);
    const beside = JSON.stringify(rest).slice(1);
    return [`${place === 0 ? '' : ','}${opened}`, written, `${beside === '}' ? '' : ','}${beside}`];
  };
  return (items) => (items as readonly Readonly<Record<string, unknown>>[]).flatMap(write);
}

/** How the items of an answer are written, of which one member may be JSON already. */
export const itemWriter = (jsonMember: string | undefined): WriteItems =>
  jsonMember === undefined ? writePlain : writeAround(jsonMember);

/** A list of items. */
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

/** Lists by the keys of their groups. Written as text: an object built of them would lose an own key `__proto__`. */
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
