import { invalidMember } from '../../../domain/errors.ts';
import type { Pausable } from '../../../platform/process/in-turns.ts';

/** Max nesting of a body and max values in it, over all containers. */
const jsonLimits = { depth: 64, values: 100_000 } as const;

/** The result of scanning the bytes of a body before it is parsed. */
export interface JsonShape {
  readonly values: number;
  /** The body may contain U+0000, a lone surrogate or a number that is not finite, so its values must be sanitized. */
  readonly suspicious: boolean;
  /** The body may have a member named `__proto__`. */
  readonly mayNameProto: boolean;
}

/** Creates the refusal of a whole body. */
export const refusedBody = (message: string): Error => invalidMember('', message);

/** ASCII codes of JSON syntax. */
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

/** Returns the index of the quote that closes the string whose content begins at `start`, or the end of the body. */
export function endOfString(body: Buffer, start: number): number {
  let index = start;
  for (; index < body.length; index += 1) {
    const byte = body[index];
    if (byte === bytes.backslash) index += 1;
    else if (byte === bytes.quote) break;
  }
  return index;
}

/** Matches the four digits of an escape of U+0000 or a surrogate. */
const suspiciousUnit = /^(?:0000|[dD][89a-fA-F])/;

/** Returns whether the string from `start` to `end` has an escape of U+0000 or of a surrogate. */
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
 * Max digits of a number and of its exponent that are finite for certain: 10 to the power of 200 + 99 is. Numbers with
 * more digits are checked once they are parsed.
 */
const safeDigits = { number: 200, exponent: 2 } as const;

/** Scans numbers byte by byte, in constant space. */
class NumberScan {
  suspicious = false;
  #digits = 0;
  #inExponent = false;

  see(byte: number): void {
    if (byte >= bytes.zero && byte <= bytes.nine) {
      this.#digits += 1;
      if (this.#digits > (this.#inExponent ? safeDigits.exponent : safeDigits.number)) this.suspicious = true;
    } else if (byte === bytes.smallE || byte === bytes.largeE) {
      // Not the last letter of `true`, which no digit precedes.
      this.#inExponent = this.#digits > 0;
      this.#digits = 0;
    } else if (byte !== bytes.plus) {
      this.#inExponent = false;
      this.#digits = 0;
    }
  }
}

/** Bytes between two points where the scan may pause. */
const stride = 65_536;

/** Rejects a body with too much nesting or too many values before it is parsed. Linear: reads each byte at most twice. */
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
