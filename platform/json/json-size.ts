/** Max bytes of a character in JSON text, including escapes. */
const maxCharacterBytes = 6;

/**
 * Returns whether a value exceeds `limit` bytes as JSON. A cheap upper bound decides for small values, because writing each
 * record of a batch would cost too much. Large values are counted only up to the limit.
 */
export function isLargerThan(limit: number, value: unknown): boolean {
  return upperBound(value, limit) > limit && bytesUpTo(limit, value) > limit;
}

/** Returns an upper bound of the size in bytes, or any number above `enough`. */
function upperBound(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length * maxCharacterBytes + 2;
  if (typeof value !== 'object' || value === null) return 32;
  let size = 2;
  for (const name of Object.keys(value)) {
    size +=
      name.length * maxCharacterBytes + 4 + upperBound((value as Record<string, unknown>)[name], enough);
    if (size > enough) break;
  }
  return size;
}

/** Returns the size in bytes as JSON, or any number above `limit`. */
function bytesUpTo(limit: number, value: unknown): number {
  if (typeof value === 'string') return textBytes(limit, value);
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) ?? 'null').length;
  const isList = Array.isArray(value);
  let size = 1;
  for (const [name, member] of Object.entries(value)) {
    if (!isList && member === undefined) continue;
    // Counts a comma per member. The first member has none, which accounts for the closing bracket.
    size += 1 + (isList ? 0 : textBytes(limit, name) + 1);
    size += bytesUpTo(limit - size, member);
    if (size > limit) return size;
  }
  return size === 1 ? 2 : size;
}

/** Every UTF-16 unit takes at least one byte. */
const textBytes = (limit: number, text: string): number =>
  text.length > limit ? text.length : Buffer.byteLength(JSON.stringify(text));
