import type { Pausable } from '../../../platform/process/in-turns.ts';
import { bytes, endOfString } from './scan-json.ts';

/** Bytes that are given to JSON.parse at a time, unless one value alone has more. */
const piece = 65_536;

/** What breaks the grammar between two pieces; within one, JSON.parse finds it. */
class NotJson extends SyntaxError {}

/** A container that has been opened. It has a value of its own only once it is too large for one piece. */
interface Container {
  readonly isList: boolean;
  /** Index of its bracket. */
  readonly start: number;
  /** Index of the first byte that no piece has taken yet. */
  taken: number;
  /** Index at which its present member begins. */
  member: number;
  /** The member before `taken` was a container that has been built: only a comma or the end may follow. */
  afterBuilt: boolean;
  /** Its name in the map that holds it, once it is being built. */
  name: string;
  value: unknown[] | Record<string, unknown> | undefined;
}

/**
 * The value of a body as JSON.parse makes it, but in pieces, with a pause wherever one is due: parsing 10 MiB at once
 * would block the process for 70 ms. Throws SyntaxError for what is not JSON. Nesting must have been bounded before.
 */
export function* parseLargeJson(body: Buffer): Pausable<unknown> {
  const start = hasByteOrderMark(body) ? 3 : 0;
  const builder = new Builder(body, start);
  let pause = piece;
  for (let index = start; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === bytes.quote) index = endOfString(body, index + 1);
    else if (byte === bytes.openList || byte === bytes.openMap) builder.open(byte === bytes.openList, index);
    else if (byte === bytes.comma) builder.comma(index);
    else if (byte === bytes.closeList || byte === bytes.closeMap)
      builder.close(byte === bytes.closeList, index);
    if (index >= pause) {
      pause = index + piece;
      yield;
    }
  }
  return builder.end();
}

class Builder {
  readonly #body: Buffer;
  readonly #open: Container[] = [];
  /** Index at which the text begins, and behind a body that was built in pieces, at which it goes on. */
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
    if (container.afterBuilt || index - container.taken >= piece) {
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

  /** Gives a container, and before it those that hold it, a value of its own. */
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

  /** What stands between the present member's begin and the bracket that opens its value. */
  #nameBetween({ isList, member }: Container, bracket: number): string {
    if (isList) {
      this.#expectBlank(member, bracket);
      return '';
    }
    const [name, ...others] = Object.keys(JSON.parse(`{${textOf(this.#body.subarray(member, bracket))}0}`));
    if (name === undefined || others.length > 0) throw new NotJson();
    return name;
  }

  #takeRest(container: Container, end: number): void {
    if (container.afterBuilt) this.#expectBlank(container.taken, end);
    else this.#take(container, end);
    container.afterBuilt = false;
  }

  /** Adds the members between `taken` and `end`; there must be one. */
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

/** As JSON.parse does it: `__proto__` is a member like any other. */
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

/** White space of JSON. */
export const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const hasByteOrderMark = (body: Buffer): boolean => body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;

/** A byte order mark within a body is no white space of JSON, so it is kept for JSON.parse to refuse. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (part: Buffer): string => utf8.decode(part);
