/** Max bytes of a character in JSON text, including escapes. */
const maxCharacterBytes = 6;

/**
 * Returns whether a value exceeds `limit` bytes as JSON. A cheap upper bound decides for small values, because writing each
 * record of a batch would cost too much. Large values are counted only up to the limit. `numberBytes`: bytes of a number.
 */
export function isLargerThan(limit: number, value: unknown, numberBytes: NumberBytes = asJson): boolean {
  return upperBound(value, limit, numberBytes) > limit && bytesUpTo(limit, value, numberBytes) > limit;
}

type NumberBytes = (value: number) => number;

const asJson: NumberBytes = (value) => JSON.stringify(value).length;

/** Max bytes of a number in the text of a `jsonb`, which writes all digits instead of an exponent. */
export const asJsonb: NumberBytes = (value) => {
  const text = String(value);
  const at = text.indexOf('e');
  return at === -1 ? text.length : text.length + Math.abs(Number(text.slice(at + 1)));
};

/** Returns an upper bound of the size in bytes, or any number above `enough`. */
function upperBound(value: unknown, enough: number, numberBytes: NumberBytes): number {
  if (typeof value === 'string') return value.length * maxCharacterBytes + 2;
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  for (const name of Object.keys(value)) {
    size +=
      name.length * maxCharacterBytes +
      4 +
      upperBound((value as Record<string, unknown>)[name], enough, numberBytes);
    if (size > enough) break;
  }
  return size;
}

/** Returns the size in bytes as JSON, or any number above `limit`. */
function bytesUpTo(limit: number, value: unknown, numberBytes: NumberBytes): number {
  if (typeof value === 'string') return textBytes(limit, value);
  if (typeof value === 'number') return numberBytes(value);
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) ?? 'null').length;
  const isList = Array.isArray(value);
  let size = 1;
  for (const [name, member] of Object.entries(value)) {
    if (!isList && member === undefined) continue;
    // Counts a comma per member. The first member has none, which accounts for the closing bracket.
    size += 1 + (isList ? 0 : textBytes(limit, name) + 1);
    size += bytesUpTo(limit - size, member, numberBytes);
    if (size > limit) return size;
  }
  return size === 1 ? 2 : size;
}

/** Every UTF-16 unit takes at least one byte. */
const textBytes = (limit: number, text: string): number =>
  text.length > limit ? text.length : Buffer.byteLength(JSON.stringify(text));
