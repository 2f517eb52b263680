import type { Pausable } from '../../../platform/process/in-turns.ts';
import { bytes, endOfString } from './scan-json.ts';

/** Bytes per call of JSON.parse, unless a single value is larger. */
const chunkBytes = 65_536;

/** A syntax error between two chunks. JSON.parse finds those within a chunk. */
class NotJson extends SyntaxError {}

/** An open container. It gets a value of its own only once it is too large for one chunk. */
interface Container {
  readonly isList: boolean;
  /** Index of its bracket. */
  readonly start: number;
  /** Index of the first byte that is not parsed yet. */
  taken: number;
  /** Start index of the current member. */
  member: number;
  /** The member before `taken` was a built container: only a comma or the end may follow. */
  afterBuilt: boolean;
  /** Its name in the containing map, once it is built. */
  name: string;
  value: unknown[] | Record<string, unknown> | undefined;
}

/**
 * Parses a body like JSON.parse, but in chunks with pauses: parsing 10 MiB at once would block the event loop for 70 ms.
 * Throws SyntaxError for invalid JSON. The caller must have bounded the nesting.
 */
export function* parseLargeJson(body: Buffer): Pausable<unknown> {
  const start = hasByteOrderMark(body) ? 3 : 0;
  const builder = new Builder(body, start);
  let pause = chunkBytes;
  for (let index = start; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === bytes.quote) index = endOfString(body, index + 1);
    else if (byte === bytes.openList || byte === bytes.openMap) builder.open(byte === bytes.openList, index);
    else if (byte === bytes.comma) builder.comma(index);
    else if (byte === bytes.closeList || byte === bytes.closeMap)
      builder.close(byte === bytes.closeList, index);
    if (index >= pause) {
      pause = index + chunkBytes;
      yield;
    }
  }
  return builder.end();
}

class Builder {
  readonly #body: Buffer;
  readonly #open: Container[] = [];
  /** Start index of the text; after a body built in chunks, the index after it. */
  #start: number;
  #result: unknown;

  constructor(body: Buffer, start: number) {
    this.#body = body;
    this.#start = start;
  }

  open(isList: boolean, start: number): void {
    const inside = start + 1;
    const container = { isList, start, taken: inside, member: inside, afterBuilt: false, name: '' };
    this.#open.push({ ...container, value: undefined });
  }

  comma(index: number): void {
    const container = this.#open.at(-1);
    if (container === undefined) throw new NotJson();
    if (container.afterBuilt || index - container.taken >= chunkBytes) {
      this.#build(this.#open.length - 1);
      this.#takeRest(container, index);
      container.taken = index + 1;
    }
    container.member = index + 1;
  }

  close(isList: boolean, index: number): void {
    const container = this.#open.pop();
    if (container?.isList !== isList) throw new NotJson();
    if (container.value === undefined) return;
    this.#takeRest(container, index);
    const holder = this.#open.at(-1);
    if (holder === undefined) {
      this.#result = container.value;
      this.#start = index + 1;
      return;
    }
    add(holder, container.name, container.value);
    holder.taken = index + 1;
    holder.afterBuilt = true;
  }

  end(): unknown {
    if (this.#open.length > 0) throw new NotJson();
    if (this.#result === undefined) return JSON.parse(textOf(this.#body.subarray(this.#start)));
    this.#expectBlank(this.#start, this.#body.length);
    return this.#result;
  }

  /** Gives a container and those around it values of their own, outermost first. */
  #build(depth: number): void {
    const container = this.#open[depth];
    if (container === undefined || container.value !== undefined) return;
    const holder = this.#open[depth - 1];
    if (holder === undefined) {
      if (this.#result !== undefined) throw new NotJson();
      this.#expectBlank(this.#start, container.start);
    } else {
      this.#build(depth - 1);
      if (holder.afterBuilt) throw new NotJson();
      if (holder.member > holder.taken) this.#take(holder, holder.member - 1);
      container.name = this.#nameBetween(holder, container.start);
      holder.taken = container.start;
    }
    container.value = container.isList ? [] : {};
  }

  /** Returns the name between the start of the current member and the bracket of its value; empty in a list. */
  #nameBetween({ isList, member }: Container, bracket: number): string {
    if (isList) {
      this.#expectBlank(member, bracket);
      return '';
    }
    // Unlike a digit, `null` completes no value that the body has begun.
    const [name, ...others] = Object.keys(
      JSON.parse(`{${textOf(this.#body.subarray(member, bracket))}null}`),
    );
    if (name === undefined || others.length > 0) throw new NotJson();
    return name;
  }

  #takeRest(container: Container, end: number): void {
    if (container.afterBuilt) this.#expectBlank(container.taken, end);
    else this.#take(container, end);
    container.afterBuilt = false;
  }

  /** Adds the members between `taken` and `end`. At least one is required. */
  #take(container: Container, end: number): void {
    const text = textOf(this.#body.subarray(container.taken, end));
    const count = container.isList
      ? addItems(container, JSON.parse(`[${text}]`) as unknown[])
      : addMembers(container, JSON.parse(`{${text}}`) as object);
    if (count === 0) throw new NotJson();
  }

  #expectBlank(start: number, end: number): void {
    for (let index = start; index < end; index += 1) {
      if (!isBlank(this.#body[index])) throw new NotJson();
    }
  }
}

/** Adds a member. Like JSON.parse, defines `__proto__` as an own member. */
function add({ value: holder }: Container, name: string, value: unknown): void {
  if (Array.isArray(holder)) holder.push(value);
  else if (holder !== undefined && name === '__proto__')
    Object.defineProperty(holder, name, { value, writable: true, enumerable: true, configurable: true });
  else if (holder !== undefined) holder[name] = value;
}

function addItems(container: Container, items: readonly unknown[]): number {
  for (const item of items) add(container, '', item);
  return items.length;
}

function addMembers(container: Container, members: object): number {
  const entries = Object.entries(members);
  for (const [name, value] of entries) add(container, name, value);
  return entries.length;
}

/** Returns whether a byte is white space in JSON. */
export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const hasByteOrderMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** Keeps byte order marks within a body, so that JSON.parse rejects them. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (part: Buffer): string => utf8.decode(part);
