import { createHash } from 'node:crypto';
import { inTurns, type Pausable } from '../process/in-turns.ts';

/** Characters that are handed on at a time, unless one text alone has more. */
const piece = 65_536;

/** The members of a map, in the order in which they are written. */
export type MembersOf = (map: object) => readonly (readonly [string, unknown])[];

class Pieces {
  readonly #take: (text: string) => void;
  #text = '';

  constructor(take: (text: string) => void) {
    this.#take = take;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= piece) this.end();
  }

  end(): void {
    this.#take(this.#text);
    this.#text = '';
  }
}

/** Writes plain JSON as JSON.stringify does, piece by piece, and pauses between them. Nesting must have been bounded before. */
export function* writeJson(
  value: unknown,
  take: (text: string) => void,
  membersOf: MembersOf = Object.entries,
): Pausable<void> {
  const pieces = new Pieces(take);
  yield* writePart(value, pieces, membersOf);
  pieces.end();
}

function* writePart(value: unknown, pieces: Pieces, membersOf: MembersOf): Pausable<void> {
  if (typeof value !== 'object' || value === null) {
    pieces.add(JSON.stringify(value) ?? 'null');
    yield;
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  const members = isList ? value.map((item: unknown) => ['', item] as const) : membersOf(value);
  for (const [name, member] of members) {
    if (!isList && member === undefined) continue;
    pieces.add(isList ? before : `${before}${JSON.stringify(name)}:`);
    before = ',';
    yield* writePart(member, pieces, membersOf);
  }
  if (before !== ',') pieces.add(before);
  pieces.add(isList ? ']' : '}');
}

/** The JSON of a value in UTF-8, written in turns with other requests; memory of its own. */
export async function jsonBytes(value: unknown): Promise<Buffer> {
  const parts: Buffer[] = [];
  await inTurns(writeJson(value, (text) => parts.push(Buffer.from(text))));
  return ownMemory(parts);
}

/** SHA-256 of the JSON of a value, written in turns with other requests. */
export async function jsonHash(value: unknown): Promise<Buffer> {
  const hash = createHash('sha256');
  await inTurns(writeJson(value, (text) => hash.update(text)));
  return hash.digest();
}

/** Texts of JSON that are together longer than this become bytes in turns; shorter ones are cheaper as one text. */
const largeList = 262_144;

/** A list of JSON of whose items each is JSON already, as a parameter of a statement. */
export async function jsonList(items: readonly string[]): Promise<string | Buffer> {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  if (length <= largeList) return `[${items.join(',')}]`;
  return inTurns(listBytes(items));
}

function* listBytes(items: readonly string[]): Pausable<Buffer> {
  const parts: Buffer[] = [];
  for (const [index, item] of items.entries()) {
    parts.push(Buffer.from(index === 0 ? '[' : ','), Buffer.from(item));
    yield;
  }
  parts.push(Buffer.from(items.length === 0 ? '[]' : ']'));
  return ownMemory(parts);
}

/** In memory that is shared with no other bytes, so that it may go to a thread as it is. */
function ownMemory(parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)));
  let end = 0;
  for (const part of parts) end += part.copy(bytes, end);
  return bytes;
}
