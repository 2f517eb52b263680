/** Bytes that a character of JSON text has at most, escapes included. */
const widest = 6;

/**
 * Whether a value has more than `limit` bytes as JSON. Small values, nearly all, are only looked over: writing each record
 * of a batch to see that it is small would cost more than the record. A large one is counted no further than the limit.
 */
export function isLargerThan(limit: number, value: unknown): boolean {
  return upperBound(value, limit) > limit && bytesUpTo(limit, value) > limit;
}

/** Never less than the size in bytes, unless that is beyond `enough`. */
function upperBound(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length * widest + 2;
  if (typeof value !== 'object' || value === null) return 32;
  let size = 2;
  for (const name of Object.keys(value)) {
    size += name.length * widest + 4 + upperBound((value as Record<string, unknown>)[name], enough);
    if (size > enough) break;
  }
  return size;
}

/** The size in bytes as JSON, or some number above `limit`: what lies beyond is not looked at. */
function bytesUpTo(limit: number, value: unknown): number {
  if (typeof value === 'string') return textBytes(limit, value);
  if (typeof value !== 'object' || value === null) return (JSON.stringify(value) ?? 'null').length;
  const isList = Array.isArray(value);
  let size = 1;
  for (const [name, member] of Object.entries(value)) {
    if (!isList && member === undefined) continue;
    // With its comma; the first one has none, and the closing bracket is counted so.
    size += 1 + (isList ? 0 : textBytes(limit, name) + 1);
    size += bytesUpTo(limit - size, member);
    if (size > limit) return size;
  }
  return size === 1 ? 2 : size;
}

/** Each unit of a text has a byte at least. */
const textBytes = (limit: number, text: string): number =>
  text.length > limit ? text.length : Buffer.byteLength(JSON.stringify(text));
