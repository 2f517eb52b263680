/** Bytes that a character of JSON text has at most, escapes included. */
const widest = 6;

/**
 * Whether a value has more than `limit` bytes as JSON. Small values, nearly all, are only looked over: writing each record
 * of a batch to see that it is small would cost more than the record.
 */
export function isLargerThan(limit: number, value: unknown): boolean {
  return upperBound(value, limit) > limit && Buffer.byteLength(JSON.stringify(value)) > limit;
}

/** Never less than the size in bytes, unless that is beyond `enough`. */
function upperBound(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length * widest + 2;
  if (typeof value !== 'object' || value === null) return 32;
  let size = 2;
  for (const [name, member] of Object.entries(value)) {
    size += name.length * widest + 4 + upperBound(member, enough);
    if (size > enough) break;
  }
  return size;
}
