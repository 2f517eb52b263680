import { createHash } from 'node:crypto';
import { inTurns, type Pausable } from '../process/in-turns.ts';

/** Characters per chunk; a longer single text is one chunk. */
const chunkLength = 65_536;

/** Members of a map, in output order. */
export type Members = readonly (readonly [string, unknown])[];

/** Returns the members of a map. May pause. */
export type MembersOf = (map: object) => Members | Pausable<Members>;

class Chunks {
  readonly #take: (text: string) => void;
  #text = '';

  constructor(take: (text: string) => void) {
    this.#take = take;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length >= chunkLength) this.flush();
  }

  flush(): void {
    this.#take(this.#text);
    this.#text = '';
  }
}

/** Writes plain JSON like JSON.stringify, in chunks, and pauses between them. The caller must have bounded the nesting. */
export function* writeJson(
  value: unknown,
  take: (text: string) => void,
  membersOf: MembersOf = Object.entries,
): Pausable<void> {
  const chunks = new Chunks(take);
  yield* writeValue(value, chunks, membersOf);
  chunks.flush();
}

function* writeValue(value: unknown, chunks: Chunks, membersOf: MembersOf): Pausable<void> {
  if (typeof value !== 'object' || value === null) {
    chunks.add(JSON.stringify(value) ?? 'null');
    yield;
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  const found = isList ? value.map((item: unknown) => ['', item] as const) : membersOf(value);
  const members = 'next' in found ? yield* found : found;
  for (const [name, member] of members) {
    if (!isList && member === undefined) continue;
    chunks.add(isList ? before : `${before}${JSON.stringify(name)}:`);
    before = ',';
    yield* writeValue(member, chunks, membersOf);
  }
  if (before !== ',') chunks.add(before);
  chunks.add(isList ? ']' : '}');
}

/** The JSON of a value in UTF-8, in its own memory. Yields to other requests while it writes. */
export async function jsonBytes(value: unknown): Promise<Buffer> {
  const parts: Buffer[] = [];
  await inTurns(writeJson(value, (text) => parts.push(Buffer.from(text))));
  return ownMemory(parts);
}

/** SHA-256 of the JSON of a value. Yields to other requests while it writes. */
export async function jsonHash(value: unknown): Promise<Buffer> {
  const hash = createHash('sha256');
  await inTurns(writeJson(value, (text) => hash.update(text)));
  return hash.digest();
}

/** Total characters above which `jsonList` yields while it encodes; shorter lists are cheaper as one text. */
const maxListText = 262_144;

/** Returns a JSON array of items that are already JSON, as a statement parameter. */
export async function jsonList(items: readonly string[]): Promise<string | Buffer> {
  const length = items.reduce((sum, item) => sum + item.length, 0);
  if (length <= maxListText) return `[${items.join(',')}]`;
  return inTurns(listBytes(items));
}

function* listBytes(items: readonly string[]): Pausable<Buffer> {
  const parts: Buffer[] = [];
  const chunks = new Chunks((text) => parts.push(Buffer.from(text)));
  chunks.add('[');
  let before = '';
  for (const item of items) {
    chunks.add(before + item);
    before = ',';
    yield;
  }
  chunks.add(']');
  chunks.flush();
  return ownMemory(parts);
}

/** Copies the parts into unshared memory, which can be transferred to a thread. */
function ownMemory(parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.from(new ArrayBuffer(parts.reduce((sum, { length }) => sum + length, 0)));
  let end = 0;
  for (const part of parts) end += part.copy(bytes, end);
  return bytes;
}
