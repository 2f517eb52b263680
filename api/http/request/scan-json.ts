import { invalidMember } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';

/** Deepest nesting of a body, and most values in it, counted over all containers. */
export const jsonLimits = { depth: 64, values: 100_000 } as const;

/** What one look at the bytes of a body says before anything is built from them. */
export interface JsonShape {
  readonly values: number;
  /** The body may hold U+0000, half a surrogate pair or a number that is not finite: its values need a closer look. */
  readonly suspicious: boolean;
  /** A member may be called `__proto__`. */
  readonly mayNameProto: boolean;
}

/** Refusal of a body as a whole. */
export const refusedBody = (message: string): Error => invalidMember('', message);

/** ASCII codes of the characters that JSON is made of. */
export const bytes = {
  quote: 0x22,
  backslash: 0x5c,
  comma: 0x2c,
  openList: 0x5b,
  closeList: 0x5d,
  openMap: 0x7b,
  closeMap: 0x7d,
  zero: 0x30,
  nine: 0x39,
  plus: 0x2b,
  smallE: 0x65,
  largeE: 0x45,
  smallU: 0x75,
} as const;

/** Index of the quote that closes the string whose content begins at `start`, or the end of the body. */
export function endOfString(body: Buffer, start: number): number {
  let index = start;
  for (; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === bytes.backslash) index += 1;
    else if (byte === bytes.quote) break;
  }
  return index;
}

/** Of the four digits of an escape: U+0000 or a surrogate. */
const suspiciousUnit = /^(?:0000|[dD][89a-fA-F])/;

/** Whether the string from `start` to `end` has an escape that may stand for U+0000 or half a surrogate pair. */
function hasSuspiciousEscape(body: Buffer, start: number, end: number): boolean {
  for (let index = start; index < end; index += 1) {
    if (body[index] === bytes.backslash) {
      index += 1;
      if (body[index] === bytes.smallU && suspiciousUnit.test(body.toString('latin1', index + 1, index + 5)))
        return true;
    }
  }
  return false;
}

/**
 * Digits that a number may have, and those of its exponent, to be finite for certain: 10 to the power of 200 + 99 is.
 * Whatever has more is looked at once it is parsed.
 */
const safeDigits = { number: 200, exponent: 2 } as const;

/** Reads numbers byte by byte, in constant space. */
class NumberScan {
  suspicious = false;
  #digits = 0;
  #inExponent = false;

  see(byte: number): void {
    if (byte >= bytes.zero && byte <= bytes.nine) {
      this.#digits += 1;
      if (this.#digits > (this.#inExponent ? safeDigits.exponent : safeDigits.number)) this.suspicious = true;
    } else if (byte === bytes.smallE || byte === bytes.largeE) {
      // Not the last letter of `true`: no digit stands before that.
      this.#inExponent = this.#digits > 0;
      this.#digits = 0;
    } else if (byte !== bytes.plus) {
      this.#inExponent = false;
      this.#digits = 0;
    }
  }
}

/** Bytes between two places where the look at a body may pause. */
const stride = 65_536;

/** Refuses, before anything is built from it, a body that would be too deep or too large as values. Linear: each byte is seen at most twice. */
export function* scanJson(body: Buffer): Pausable<JsonShape> {
  const numbers = new NumberScan();
  const escapes = body.includes(String.raw`\u`);
  let suspicious = false;
  let depth = 0;
  let values = 1;
  let justOpened = false;
  let pause = stride;
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index] ?? 0;
    if (byte > 0x20) {
      const opened = byte === bytes.openList || byte === bytes.openMap;
      const closed = byte === bytes.closeList || byte === bytes.closeMap;
      if (byte === bytes.comma || (justOpened && !closed)) values += 1;
      if (byte === bytes.quote) {
        const end = endOfString(body, index + 1);
        if (escapes && !suspicious) suspicious = hasSuspiciousEscape(body, index + 1, end);
        index = end;
      } else numbers.see(byte);
      if (opened && (depth += 1) > jsonLimits.depth) throw tooDeep();
      if (closed) depth -= 1;
      if (values > jsonLimits.values) throw tooMany();
      justOpened = opened;
    }
    if (index >= pause) {
      pause = index + stride;
      yield;
    }
  }
  return {
    values,
    suspicious: suspicious || numbers.suspicious,
    mayNameProto: escapes || body.includes('__proto__'),
  };
}

const tooDeep = (): Error =>
  refusedBody(`Request body must not be nested deeper than ${String(jsonLimits.depth)} levels.`);
const tooMany = (): Error => refusedBody('Request body must not hold more than 100,000 values.');
